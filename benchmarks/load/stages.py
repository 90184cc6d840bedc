"""Stages of load: a number of clients that each wait for their answers, or arrivals that wait for nobody."""

import random
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.load.cases import Case
from benchmarks.load.client import Client, Outcome
from benchmarks.load.tally import Tally, tally


@dataclass(frozen=True, slots=True)
class Target:
    """The container's port on loopback and its log, and what it is asked."""

    port: int
    log: Path
    cases: Sequence[Case]


def closed(target: Target, *, clients: int, each: int, seconds: float) -> Tally:
    """`clients` at the same time, each sending `each` requests one after another; none is begun after `seconds`."""
    until = time.monotonic() + seconds

    def run(number: int) -> list[Outcome]:
        chosen = random.Random(number)  # noqa: S311 - a mix, not a secret
        client = Client(target.port, number)
        outcomes = []
        for _ in range(each):
            if time.monotonic() > until:
                break
            outcomes.append(client.ask(chosen.choice(target.cases)))
        return outcomes

    stage = f"{clients} client{'s' if clients > 1 else ''}"
    return _timed(stage, target, clients * each, clients, lambda pool: pool.map(run, range(clients)))


def open_loop(target: Target, *, rate: float, requests: int, seconds: float) -> Tally:
    """Requests arrive at random, on average `rate` a second, whether or not earlier ones are answered."""
    numbers = random.Random(requests)  # noqa: S311 - arrivals, not a secret
    began = time.monotonic()
    until = began + seconds
    arrivals, at = [], 0.0
    for number in range(requests):
        at += numbers.expovariate(rate)
        arrivals.append((number, at, numbers.choice(target.cases)))

    def run(arrival: tuple[int, float, Case]) -> list[Outcome]:
        number, at, case = arrival
        if began + at > until:
            return []
        time.sleep(max(0.0, began + at - time.monotonic()))
        return [Client(target.port, number).ask(case)]

    return _timed(f"open, {rate:.2f}/s", target, requests, requests, lambda pool: pool.map(run, arrivals))


def _timed(
    stage: str,
    target: Target,
    planned: int,
    threads: int,
    start: Callable[[ThreadPoolExecutor], Iterable[list[Outcome]]],
) -> Tally:
    known, began = target.log.stat().st_size, time.monotonic()
    with ThreadPoolExecutor(threads) as pool:
        outcomes = [outcome for part in start(pool) for outcome in part]
    seconds = time.monotonic() - began
    lines = target.log.read_bytes()[known:].decode().splitlines()
    return tally(stage, outcomes, lines, planned=planned, seconds=seconds)
