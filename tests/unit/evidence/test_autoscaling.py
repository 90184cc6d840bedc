"""The seconds from a breach to new capacity, on a clock that is moved by hand."""

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from evidence.autoscaling import ScaleOutWatch
from evidence.benchmark import Plan, run
from evidence.load import Load
from evidence.plan import closed, opened
from evidence.results import read_results
from evidence.results_log import ResultsLog
from tests.unit.evidence.fake_endpoint import Clock, FakeEndpoint, header, tasks
from tests.unit.evidence.fake_fleet import FakeFleet

INTERVAL = 5.0


@pytest.mark.rule(
    "an open-loop run tells the seconds from the breach of the scaling target to new capacity",
    tool="the watch of a run, on a clock moved by hand",
    emulated="the fleet and its scaling",
)
def test_seconds_from_breach_to_capacity_are_told() -> None:
    """Requests pile up one each 10 s: the fourth breaches a target of 3; capacity comes 180 s later, 4 min into it."""
    clock = Clock()
    start = clock.now
    fleet = FakeFleet(clock, desired_at=start + 120, current_at=start + 210)
    load = Load(clock)
    watch = ScaleOutWatch("open-0.1", fleet, load, lambda: clock() - start)
    with ExitStack() as outstanding:
        for second in range(0, 300, int(INTERVAL)):
            if second % 10 == 0:
                outstanding.enter_context(load.request())
            watch.look()
            clock.sleep(INTERVAL)

    seen = watch.seen
    assert (seen.phase, seen.target, seen.instances) == ("open-0.1", 3.0, 1)
    assert (seen.breached_seconds, seen.desired_seconds, seen.capacity_seconds) == (30.0, 120.0, 210.0)


def test_an_open_loop_writes_what_scaling_did(tmp_path: Path) -> None:
    """One request a second, none answered: the fourth breaches a target of 3 at 3 s, capacity is there at 10 s."""
    clock, gate = Clock(), threading.Event()
    start = clock.now
    looks: list[float] = []
    endpoint = FakeEndpoint(before=lambda: gate.wait(30))

    def sleep(seconds: float) -> None:
        _until(lambda: len(endpoint.asked) == len(clock.slept) + 1)
        before = len(looks)
        _until(lambda: len(looks) >= before + 3)  # the second of these began with that request and has ended
        clock.sleep(seconds)
        if clock.now - start >= 12:
            gate.set()

    def looked(now: float) -> bool:
        looks.append(now)
        return False

    fleet = FakeFleet(clock, desired_at=start + 6, current_at=start + 10, unseen=looked)
    file = tmp_path / "run.jsonl"
    log = ResultsLog(file, header(), resume=False)
    plan = Plan((opened(1, 13),), tuple(tasks(4)))
    run(plan, endpoint, log, scaled=fleet, clock=clock, sleep=sleep, look_seconds=0.001)

    results = read_results(file)
    (seen,) = results.scale_outs
    assert len(results.answers) == 13
    assert (seen.phase, seen.instances, seen.breached_seconds) == ("open-1", 1, 3.0)
    assert (seen.desired_seconds, seen.capacity_seconds) == (6.0, 10.0)


def _until(holds: Callable[[], bool]) -> None:
    """Wait for another thread."""
    while not holds():
        time.sleep(0.001)


def test_a_run_below_the_target_breaches_nothing() -> None:
    """Capacity that comes for another reason is no answer to this run's load."""
    clock = Clock()
    load = Load(clock)
    watch = ScaleOutWatch("open-1", FakeFleet(clock, current_at=clock.now + 10), load, clock)
    for _ in range(10):
        with load.request():
            watch.look()
        clock.sleep(INTERVAL)

    assert (watch.seen.breached_seconds, watch.seen.capacity_seconds) == (None, None)


def test_invocations_are_those_of_a_minute() -> None:
    """Four begun within a minute breach a target of 3 of them; four in two minutes do not."""
    for pause, breached in ((10.0, True), (30.0, False)):
        clock = Clock()
        load = Load(clock)
        watch = ScaleOutWatch("open-1", FakeFleet(clock, metric="invocations_per_instance"), load, clock)
        for _ in range(4):
            with load.request():
                pass
            watch.look()
            clock.sleep(pause)
        assert (watch.seen.breached_seconds is not None) is breached


def test_a_fleet_that_cannot_be_seen_is_looked_at_again() -> None:
    """A throttled description delays what is seen, and ends nothing."""
    clock = Clock()
    start = clock.now
    fleet = FakeFleet(clock, desired_at=start, current_at=start + 10, unseen=lambda now: start < now < start + 20)
    load = Load(clock)
    watch = ScaleOutWatch("open-1", fleet, load, lambda: clock() - start)
    with ExitStack() as outstanding:
        for _ in range(4):
            outstanding.enter_context(load.request())
        for _ in range(6):
            watch.look()
            clock.sleep(INTERVAL)

    assert (watch.seen.breached_seconds, watch.seen.capacity_seconds) == (0.0, 20.0)


@pytest.mark.parametrize(
    ("instances", "outstanding", "breached"), [(1, 3, False), (1, 4, True), (2, 6, False), (2, 7, True)]
)
def test_target_is_of_each_instance(instances: int, outstanding: int, breached: bool) -> None:  # noqa: FBT001 - a parameter of a table
    """Three for each are what was aimed at, and one more is too many."""
    clock = Clock()
    load = Load(clock)
    watch = ScaleOutWatch("open-1", FakeFleet(clock, instances=instances), load, clock)
    with ExitStack() as requests:
        for _ in range(outstanding):
            requests.enter_context(load.request())
        watch.look()

    assert (watch.seen.breached_seconds is not None) is breached
    assert watch.seen.instances == instances


def test_a_closed_loop_is_not_watched(tmp_path: Path) -> None:
    """It asks no more than its clients can, so that it says nothing of a rate."""
    file, clock = tmp_path / "run.jsonl", Clock()
    log = ResultsLog(file, header(), resume=False)

    run(Plan((closed(2),), tuple(tasks(4))), FakeEndpoint(), log, scaled=FakeFleet(clock))

    assert read_results(file).scale_outs == []
