"""Load on the real container process with SmolLM2: `python -m benchmarks.load [--threads N] [--requests N]`.

1, 2, 4, 8 and 16 clients at the same time, then arrivals at 1.5 times the best goodput of those. Clients back off as
documented. Every answer is compared, to the bit, with logits computed beforehand in another process; a wrong answer, a
refusal that is not a retryable 503, a `/ping` that is not 200 or a container that does not end with 0 fails the run.
"""

import argparse
import json
import os
import sys

from benchmarks.checkout import BUILD
from benchmarks.load.cases import PROMPT_TOKENS, cases
from benchmarks.load.pings import Pings
from benchmarks.load.stages import Target, closed, open_loop
from benchmarks.load.tally import Tally, table
from benchmarks.loaded_model import load
from benchmarks.models import smollm2
from benchmarks.served_model import served

CLIENTS = (1, 2, 4, 8, 16)
OVERLOAD = 1.5


def main() -> int:
    """Runs all stages, prints the table and writes build/load.json; 1 if anything was not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--threads", type=int, default=cores, help=f"threads of the container (default {cores})")
    parser.add_argument("--requests", type=int, default=6, help="requests of each client (default 6)")
    parser.add_argument("--open", type=int, default=60, help="arrivals of the open stage (default 60)")
    parser.add_argument("--seconds", type=float, default=60, help="no stage begins a request after these (default 60)")
    given = parser.parse_args()
    loaded = load(smollm2())
    asked = cases(loaded, given.threads)
    print(
        f"{len(asked)} requests with known answers; {given.threads} thread(s), load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    limits = {"SEMIF_THREADS": str(given.threads), "SEMIF_MAX_TOKENS": str(PROMPT_TOKENS)}
    tallies: list[Tally] = []
    log = BUILD / "load" / "container.log"
    with served(loaded, limits, log) as container:
        container.wait_until_healthy()
        target, pings = Target(container.port, log, asked), Pings(container.port)
        pings.start()
        for clients in CLIENTS:
            tallies.append(closed(target, clients=clients, each=given.requests, seconds=given.seconds))
            print(f"· {tallies[-1].stage}: {tallies[-1].right} right in {tallies[-1].seconds:.0f} s", flush=True)
        rate = OVERLOAD * max(each.goodput for each in tallies)
        if rate > 0:
            tallies.append(open_loop(target, rate=rate, requests=given.open, seconds=given.seconds))
        pings.stop()
        exit_code = container.stop()
    print(table(tallies))
    print(pings.summary())
    print(f"the container ended with {exit_code} on SIGTERM")
    for fault in [fault for each in tallies for fault in each.faults][:20]:
        print(f"wrong: {fault}")
    held = all(each.right and not each.wrong for each in tallies) and not pings.unhealthy and exit_code == 0
    document = {
        "threads": given.threads,
        "load_average": os.getloadavg(),
        "held": held,
        "stages": [each.as_json() for each in tallies],
        "ping": {"asked": len(pings.seconds), "unhealthy": pings.unhealthy, "exit_code": exit_code},
    }
    (BUILD / "load.json").write_text(json.dumps(document, indent=2) + "\n")
    return 0 if held and len(tallies) > len(CLIENTS) else 1


if __name__ == "__main__":
    sys.exit(main())
