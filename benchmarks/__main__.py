"""Ours against the reference method and the floor, on real libllama: `python -m benchmarks [--quick] [--threads N]`.

Ours is the real container process, asked over HTTP; reference and floor run here, on the product's own binding. They
take turns (A B C A B C ...). A goal is met when the lower end of the ratio's 90 % interval is within it, in CPU
seconds of the process that does the work and in wall seconds. A goal that is not met does not fail the run; answers
that differ from what they must be do.
"""

import argparse
import json
import os
import platform
import sys
from pathlib import Path

from benchmarks import image_bytes, shared_state, short_decision, stages, start_time
from benchmarks.checkout import BUILD
from benchmarks.loaded_model import LoadedModel, load
from benchmarks.models import gemma, smollm2
from benchmarks.rounds import Rounds
from benchmarks.rows import Row, table
from benchmarks.shared_state import Size
from benchmarks.trial import trial

_SUFFIX_TOKENS = 64  # no question of the workload needs more
_FRAME_TOKENS = 96  # what the template and the system text put around it
FULL, QUICK = Size(1650, 21), Size(400, 5)


def limits(size: Size, threads: int) -> dict[str, str]:
    """The container's limits, raised to what the work needs."""
    prompt = size.tokens + _FRAME_TOKENS + 2 * _SUFFIX_TOKENS
    return {
        "SEMIF_THREADS": str(threads),
        "SEMIF_MAX_TOKENS": str(prompt),
        "SEMIF_MAX_SHARED_DECISIONS": str(size.questions),
        "SEMIF_MAX_REQUEST_TOKENS": str(prompt * size.questions),
        "SEMIF_DEADLINE_SECONDS": "600",
    }


def measure(loaded: LoadedModel, size: Size, threads: int, seconds: float, *, quick: bool) -> tuple[list[Row], bool]:
    """All rows of one model, and whether every answer was what it must be."""
    environment, log = limits(size, threads), BUILD / "bench" / f"{loaded.file.name}.log"
    tokens = int(environment["SEMIF_MAX_TOKENS"])
    everything = size.tokens + _FRAME_TOKENS + size.questions * _SUFFIX_TOKENS
    short = Rounds(10, 40, seconds / 6) if not quick else Rounds(5, 5, 0)
    long = Rounds(3, 7, seconds / 2) if not quick else Rounds(2, 2, 0)
    singles = Rounds(1, 5, seconds / 3) if not quick else Rounds(1, 1, 0)
    with trial(loaded, threads=threads, tokens=tokens, floor_tokens=everything, limits=environment, log=log) as running:
        rows = short_decision.measure(running, short)
        _say(f"  one short decision by stage, in ms: {_listed(stages.milliseconds(running))}")
        rows += shared_state.measure(running, size, long)
        rows.append(shared_state.measure_singles(running, size, singles))
    rows.append(start_time.measure(loaded, environment, log, Rounds(2, 2 if quick else 7, seconds / 12)))
    for line in (*running.agreement.summary().splitlines(), *running.agreement.faults):
        _say(f"  {line}")
    return rows, not running.agreement.faults


def main() -> int:
    """Measures, prints the table and writes build/bench.json; 1 if an answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller work, few rounds: says nothing about the goals")
    parser.add_argument("--threads", type=int, default=1, help="threads of ours, reference and floor (default 1)")
    parser.add_argument("--seconds", type=float, default=130, help="about how long one model is measured (130)")
    given = parser.parse_args()
    size = QUICK if given.quick else FULL
    _say(
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; threads for all: {given.threads}"
    )
    _say(f"request limits raised to what the work needs: {_listed(limits(size, given.threads))}")
    rows: list[Row] = []
    right = True
    for file in (smollm2(), gemma()):
        _say(f"{file.name}:")
        loaded = load(file)
        found, agreed = measure(loaded, size, given.threads, given.seconds, quick=given.quick)
        loaded.model.close()
        rows += found
        right = right and agreed
    rows.append(image_bytes.measure())
    _say(table(rows))
    _write(
        BUILD / ("bench-quick.json" if given.quick else "bench.json"),
        rows,
        threads=given.threads,
        quick=given.quick,
        answers_right=right,
    )
    return 0 if right else 1


def _write(path: Path, rows: list[Row], **facts: object) -> None:
    machine = {"cores": os.cpu_count(), "machine": platform.machine(), "load_average": os.getloadavg()}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**facts, "machine": machine, "rows": [row.as_json() for row in rows]}, indent=2) + "\n")


def _listed(values: dict[str, str] | dict[str, float]) -> str:
    return ", ".join(f"{name} {value if isinstance(value, str) else f'{value:.2f}'}" for name, value in values.items())


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
