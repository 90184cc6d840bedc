"""An open loop: requests begin at fixed times, whatever is outstanding."""

import threading
from collections import Counter
from pathlib import Path

import pytest

from decision_client.errors import EndpointNotFoundError
from evidence.benchmark import Plan, Told, run
from evidence.exchange import EndpointGoneError
from evidence.plan import opened
from evidence.results import read_results
from evidence.results_log import ResultsLog
from evidence.run import MOST_OUTSTANDING
from tests.unit.evidence.fake_endpoint import Clock, FakeEndpoint, header, tasks
from tests.unit.evidence.fake_fleet import FakeFleet


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the results go."""
    return tmp_path / "results/run.jsonl"


def test_an_open_loop_begins_requests_at_fixed_times(file: Path) -> None:
    """Ten requests begin 0.5 s apart by the clock although none is answered before the last has begun."""
    clock, gate = Clock(), threading.Event()

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        if len(clock.slept) == 9:
            gate.set()

    endpoint = FakeEndpoint(before=lambda: gate.wait(30))
    log = ResultsLog(file, header(), resume=False)
    run(Plan((opened(2, 5),), tuple(tasks(4))), endpoint, log, clock=clock, sleep=sleep)

    assert clock.slept == [0.5] * 9
    results = read_results(file)
    assert Counter((line.task, line.repeat) for line in results.answers) == Counter(
        (f"t{number % 4}", number // 4) for number in range(10)
    )


def test_an_open_loop_has_only_so_many_requests_outstanding(file: Path) -> None:
    """What would be one more is written as not begun, and the rate is kept."""
    gate, everything = threading.Event(), MOST_OUTSTANDING + 3
    told: list[int] = []

    def count(number: int) -> None:
        told.append(number)
        if len(told) == 3:  # those that were not begun: nobody else is done before the gate opens
            gate.set()

    endpoint = FakeEndpoint(before=lambda: gate.wait(60))
    log, clock = ResultsLog(file, header(), resume=False), Clock()
    plan = Plan((opened(1, everything),), tuple(tasks(1)))
    run(plan, endpoint, log, told=Told(decisions=count), clock=clock, sleep=clock.sleep)

    results = read_results(file)
    assert (len(results.answers), len(results.failures)) == (MOST_OUTSTANDING, 3)
    assert {(line.error, line.attempts) for line in results.failures} == {("NotBegun", 0)}
    assert MOST_OUTSTANDING == 256  # as the guide says


def test_a_request_that_begins_late_says_how_late(file: Path) -> None:
    """A sleep of 1.5 s in place of one makes the third request half a second late, and the fourth is in time again."""
    clock, endpoint = Clock(), FakeEndpoint()

    def sleep(seconds: float) -> None:
        endpoint.wait_for(len(clock.slept) + 1)  # every request before has begun
        clock.sleep(seconds + 0.5 * (len(clock.slept) == 1))

    log = ResultsLog(file, header(), resume=False)
    run(Plan((opened(1, 4),), tuple(tasks(4))), endpoint, log, clock=clock, sleep=sleep)

    assert {line.task: line.late_seconds for line in read_results(file).answers} == {
        "t0": 0,
        "t1": 0,
        "t2": 0.5,
        "t3": 0,
    }


def test_an_open_loop_whose_requests_are_answered_begins_all_of_them(file: Path) -> None:
    """More than may be outstanding, since what is answered is not."""
    clock, endpoint, number = Clock(), FakeEndpoint(), MOST_OUTSTANDING + 20

    def sleep(seconds: float) -> None:
        endpoint.wait_for(len(clock.slept) + 1)
        clock.sleep(seconds)

    log = ResultsLog(file, header(), resume=False)
    run(Plan((opened(1, number),), tuple(tasks(1))), endpoint, log, clock=clock, sleep=sleep)

    assert (len(read_results(file).answers), read_results(file).failures) == (number, [])


def test_an_open_loop_to_an_endpoint_that_is_not_there_leaves_no_file(file: Path) -> None:
    """Also where its scaling is watched: a file with nothing but what was not seen would be gone on with."""
    log = ResultsLog(file, header(), resume=False)
    endpoint = FakeEndpoint([EndpointNotFoundError("nothing listens")] * 2)

    with pytest.raises(EndpointGoneError):
        run(Plan((opened(100, 0.02),), tuple(tasks(1))), endpoint, log, scaled=FakeFleet(Clock()))
    assert not file.exists()
