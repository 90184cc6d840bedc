"""All phases of a run, from the tasks to the lines of its file."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from evidence.asker import Asker
from evidence.autoscaling import ScaleOutWatch, ScalingTarget
from evidence.exchange import Exchange
from evidence.load import Load
from evidence.plan import Closed, Open, Request, requests
from evidence.results_log import ResultsLog
from evidence.run import ask_all, missing
from evidence.task import Task

LOOK_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked: every phase with every task, `repeat` times, in `rotations` orders, up to `together` at once."""

    phases: tuple[Closed | Open, ...]
    tasks: tuple[Task, ...]
    repeat: int = 1
    rotations: int = 1
    together: int = 1

    def of(self, phase: Closed | Open) -> list[Request]:
        """Return a phase's requests in order."""
        return requests(phase, self.tasks, self.repeat, self.rotations, self.together)


@dataclass(frozen=True, slots=True)
class Told:
    """Who is told how far a run is: `phase` with its name, decisions in it and decisions done; then each request's."""

    phase: Callable[[str, int, int], None] = lambda _name, _all, _done: None
    decisions: Callable[[int], None] = lambda _number: None


def run(
    plan: Plan,
    asker: Asker,
    log: ResultsLog,
    *,
    told: Told = Told(),
    scaled: ScalingTarget | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    look_seconds: float = LOOK_SECONDS,
) -> None:
    """Ask everything that the log has no answer to.

    Args:
        plan: What is asked.
        asker: Who is asked.
        log: Takes every line as soon as it is known.
        told: Who is told how far it is.
        scaled: What autoscaling scales; watched while an open loop runs.
        clock: Seconds that only go forward.
        sleep: Waits for seconds.
        look_seconds: Between two looks at the fleet.

    Raises:
        EndpointGoneError: The endpoint is gone; the log holds what was answered before.
        ResultsError: Another process writes the file.
    """
    begun = clock()

    def since() -> float:
        return log.offset_seconds + clock() - begun

    try:
        for phase in plan.phases:
            every = plan.of(phase)
            left = missing(every, log.answered)
            total = sum(map(len, every))
            told.phase(phase.name, total, total - sum(map(len, left)))
            exchange = Exchange(asker, log, since, told.decisions, Load(since))
            watch = ScaleOutWatch(phase.name, scaled, exchange.load, since) if scaled and left else None
            with _watched(watch if isinstance(phase, Open) else None, log, look_seconds):
                ask_all(phase, left, exchange, sleep)
    finally:
        log.close()


@contextmanager
def _watched(watch: ScaleOutWatch | None, log: ResultsLog, look_seconds: float) -> Iterator[None]:
    if watch is None:
        yield
        return
    stop = threading.Event()

    def look() -> None:
        watch.look()
        while not stop.wait(look_seconds):
            watch.look()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        if log.begun:  # a file of a scale-out alone would hold no answer
            log.write([watch.seen])
