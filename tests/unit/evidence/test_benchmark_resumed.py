"""A run that ends early, and what is left for a resumed one."""

import threading
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision_client.errors import (
    DecisionError,
    EndpointNotFoundError,
    ModelFailureError,
    NoAnswerError,
)
from evidence.benchmark import Plan, Told, run
from evidence.exchange import EndpointGoneError
from evidence.plan import SEQUENTIAL, closed, opened
from evidence.results import read_results
from evidence.results_log import ResultsLog
from tests.unit.evidence.fake_endpoint import Clock, FakeEndpoint, header, lines, ran, tasks


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the results go."""
    return tmp_path / "results/run.jsonl"


@pytest.mark.parametrize("clients", [1, 4])
@pytest.mark.parametrize(
    "death",
    [[EndpointNotFoundError("nothing listens")] * 99, [NoAnswerError("cut")] * 3 + [ModelFailureError("500")] * 96],
)
@pytest.mark.rule(
    "an endpoint dies in the middle of a run: its results stay, and a resumed run completes them without a double",
    tool="the run and its results file",
    emulated="the endpoint",
)
def test_a_run_whose_endpoint_dies_is_completed_by_a_resumed_one(
    file: Path, clients: int, death: list[DecisionError]
) -> None:
    """What was answered is kept and not asked again; in the end every decision has one answer."""
    plan = Plan((closed(clients),), tuple(tasks(40)))
    with pytest.raises(EndpointGoneError):
        ran(file, plan, FakeEndpoint([None] * 17 + list(death)))
    before = read_results(file)
    endpoint = FakeEndpoint()

    results = ran(file, plan, endpoint, resume=True)

    assert 17 <= len(before.answers) < 40
    assert {line.task for line in before.answers}.isdisjoint({each for one in endpoint.asked for each in one})
    assert Counter(line.task for line in results.answers) == Counter(f"t{number}" for number in range(40))
    assert results.failures == []


def test_an_endpoint_that_is_not_there_leaves_no_file(file: Path) -> None:
    """Nothing was answered, so nothing is written, not even a header."""
    with pytest.raises(EndpointGoneError, match="nothing listens"):
        ran(file, Plan((SEQUENTIAL,), tuple(tasks(3))), FakeEndpoint([EndpointNotFoundError("nothing listens")]))
    assert not file.exists()


def test_an_interrupted_run_finishes_what_it_has_begun(file: Path) -> None:
    """Whoever interrupts it gets the exception; what was under way is written, nothing else is begun."""
    gate, times = threading.Event(), iter(range(99))

    def sleep(_seconds: float) -> None:
        if next(times) == 2:
            gate.set()
            raise KeyboardInterrupt

    endpoint, log = FakeEndpoint(before=lambda: gate.wait(30)), ResultsLog(file, header(), resume=False)
    with pytest.raises(KeyboardInterrupt):
        run(Plan((opened(1, 10),), tuple(tasks(10))), endpoint, log, clock=Clock(), sleep=sleep)
    assert {line.task for line in read_results(file).answers} <= {"t0", "t1", "t2"}
    assert len(endpoint.asked) == len(read_results(file).answers)


@given(cut=st.integers(0, 5000))
def test_wherever_a_file_was_cut_off_a_resumed_run_completes_it(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    """A killed process may leave half a line; whole ones are kept, and in the end every decision has one answer."""
    file, plan = tmp_path_factory.mktemp("cut") / "run.jsonl", Plan((SEQUENTIAL,), tuple(tasks(4)))
    ran(file, plan, FakeEndpoint())
    whole = file.read_bytes()
    file.write_bytes(whole[: max(whole.index(b"\n") + 1, cut)])

    results = ran(file, plan, FakeEndpoint(), resume=True)

    assert [line.task for line in results.answers] == ["t0", "t1", "t2", "t3"]
    assert len(set(lines(file))) == len(lines(file)) == 6


def test_time_stands_still_while_a_run_is_interrupted(file: Path) -> None:
    """A resumed run's lines begin where the first one's ended, so that a phase's seconds are those it was asked in."""
    clock = Clock()
    for number in (2, 4):
        log = ResultsLog(file, header(), resume=number == 4)
        endpoint = FakeEndpoint(before=lambda: clock.sleep(1.0))
        run(Plan((SEQUENTIAL,), tuple(tasks(number))), endpoint, log, clock=clock)
        clock.sleep(3600)

    assert [line.started_seconds for line in read_results(file).answers] == [0, 1, 2, 3]


def test_who_watches_is_told_how_far_a_run_is(file: Path) -> None:
    """Each phase with its decisions, those that an earlier run answered among them, and every request's decisions."""
    heard: list[object] = []
    told = Told(phase=lambda *phase: heard.append(phase), decisions=heard.append)
    plan = Plan((SEQUENTIAL,), tuple(tasks(3)))
    with pytest.raises(EndpointGoneError):
        ran(file, plan, FakeEndpoint([None, EndpointNotFoundError("gone")]))

    run(plan, FakeEndpoint(), ResultsLog(file, header(), resume=True), told=told)

    assert heard == [("sequential", 3, 1), 1, 1]
