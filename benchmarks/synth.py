"""How long synthesis takes with cdk-nag: `python -m benchmarks.synth [--rounds N]`.

Each round synthesizes in turn, each in a fresh process, an app without anything in it and every environment. Printed
are seconds of wall time: in process is from settings to the written assembly, once the library is loaded; command is
all of the process. The ratios are to the empty app of the same round. The library's own validator, which takes seconds
for an empty app too, is off in all of them.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from benchmarks.interval import Interval, bootstrap, ratios
from benchmarks.rounds import Rounds
from benchmarks.rows import aligned
from config.loader import environment_names, load
from config.rules import ConfigurationError

if TYPE_CHECKING:
    import aws_cdk as cdk

GOAL_SECONDS = 3.0
EMPTY = "(empty app)"
_HEAD = ("environment", "in process s", "goal", "met", "x empty", "command s", "x empty")


def measure(environment: str) -> None:
    """Synthesize once and print the seconds it took in process, as JSON."""
    from app import build  # noqa: PLC0415 - only measured processes load the library

    with tempfile.TemporaryDirectory(prefix="semif-bench-synth-") as folder:
        _empty_app(folder)  # the first object of all waits for the library's own process
        started = time.perf_counter()
        if environment == EMPTY:
            _empty_app(folder).synth()
        else:
            build(environment, outdir=folder, validate_templates=False).synth()
        print(json.dumps(time.perf_counter() - started))


def _empty_app(folder: str) -> "cdk.App":
    import aws_cdk as cdk  # noqa: PLC0415 - as above

    return cdk.App(outdir=folder, analytics_reporting=False, builtin_cloud_formation_validation=False)


def complete_environments() -> list[str]:
    """Return the environments that can be synthesized, and say which cannot: examples wait for their digests."""
    found = []
    for name in environment_names():
        try:
            load(name)
        except ConfigurationError as error:
            print(f"not measured: {str(error).splitlines()[0]}")
        else:
            found.append(name)
    return found


def run(names: list[str], rounds: Rounds) -> dict[str, tuple[list[float], list[float]]]:
    """Return seconds in process and of the whole command, by environment, one of each a round."""
    results: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in names}
    for _ in rounds:
        for name, (inside, whole) in results.items():
            started = time.perf_counter()
            command = [sys.executable, "-m", "benchmarks.synth", "--measure", name]
            done = subprocess.run(command, check=True, capture_output=True)
            whole.append(time.perf_counter() - started)
            inside.append(float(json.loads(done.stdout)))
    return results


def table(results: dict[str, tuple[list[float], list[float]]]) -> str:
    """Return one line an environment, medians with their 90 % intervals."""
    empty_inside, empty_whole = results[EMPTY]
    lines = [_HEAD]
    for name, (inside, whole) in results.items():
        seconds = bootstrap(inside)
        goal = ("-", "-") if name == EMPTY else (f"<= {GOAL_SECONDS:g}", "yes" if seconds.low <= GOAL_SECONDS else "NO")
        inner, outer = ratios(inside, empty_inside), ratios(whole, empty_whole)
        lines.append((name, _shown(seconds), *goal, _shown(inner), _shown(bootstrap(whole)), _shown(outer)))
    return "\n".join(aligned(lines))


def _shown(interval: Interval) -> str:
    return f"{interval.median:.3g} [{interval.low:.3g}, {interval.high:.3g}]"


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        measure(given.measure)
        return
    names = [EMPTY, *complete_environments()]
    print(f"{given.rounds} interleaved rounds, each synthesis in a process of its own")
    print(table(run(names, Rounds(given.rounds, given.rounds, 0))))


if __name__ == "__main__":
    main()
