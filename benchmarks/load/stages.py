"""Stages of load: a number of clients that each wait for their answers, or arrivals that wait for nobody."""

import random
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from benchmarks.load.backoff import Backoff
from benchmarks.load.cases import Case
from benchmarks.load.client import Client, Outcome
from benchmarks.load.tally import Tally, tally

BACKOFF = Backoff()


def closed(port: int, cases: Sequence[Case], *, clients: int, each: int, seconds: float) -> Tally:
    """`clients` at the same time, each sending `each` requests one after another; none is begun after `seconds`."""
    until = time.monotonic() + seconds

    def run(number: int) -> list[Outcome]:
        chosen = random.Random(number)  # noqa: S311 - a mix, not a secret
        client = Client(port, number, BACKOFF)
        outcomes = []
        for _ in range(each):
            if time.monotonic() > until:
                break
            outcomes.append(client.ask(chosen.choice(cases)))
        return outcomes

    return _timed(f"{clients} clients", clients * each, clients, lambda pool: pool.map(run, range(clients)))


def open_loop(port: int, cases: Sequence[Case], *, rate: float, requests: int, seconds: float) -> Tally:
    """Requests arrive at random, on average `rate` a second, whether or not earlier ones are answered."""
    numbers = random.Random(requests)  # noqa: S311 - arrivals, not a secret
    began = time.monotonic()
    until = began + seconds
    arrivals, at = [], 0.0
    for number in range(requests):
        at += numbers.expovariate(rate)
        arrivals.append((number, at, numbers.choice(cases)))

    def run(arrival: tuple[int, float, Case]) -> list[Outcome]:
        number, at, case = arrival
        time.sleep(max(0.0, began + at - time.monotonic()))
        if time.monotonic() > until:
            return []
        return [Client(port, number, BACKOFF).ask(case)]

    return _timed(f"open, {rate:.2f}/s", requests, requests, lambda pool: pool.map(run, arrivals))


def _timed(
    stage: str, planned: int, threads: int, start: Callable[[ThreadPoolExecutor], Iterable[list[Outcome]]]
) -> Tally:
    began = time.monotonic()
    with ThreadPoolExecutor(threads) as pool:
        outcomes = [outcome for part in start(pool) for outcome in part]
    return tally(stage, outcomes, planned=planned, seconds=time.monotonic() - began)
