"""What ends a run, and what does not."""

import time
from pathlib import Path

import pytest

from decision_client.errors import (
    DeadlineExceededError,
    DecisionError,
    EndpointBusyError,
    EndpointNotFoundError,
    ModelFailureError,
    NoAnswerError,
    NotAllowedError,
    NotConnectedError,
)
from evidence.benchmark import Plan
from evidence.exchange import EndpointGoneError
from evidence.plan import SEQUENTIAL, closed
from evidence.results import read_results
from tests.unit.evidence.fake_endpoint import FakeEndpoint, ran, tasks


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the results go."""
    return tmp_path / "results/run.jsonl"


BROKEN = (ModelFailureError("500", status=500), NoAnswerError("cut"), DeadlineExceededError("late"))


@pytest.mark.parametrize("failure", BROKEN, ids=lambda error: type(error).__name__)
def test_five_failures_in_a_row_end_a_run_and_four_do_not(file: Path, failure: DecisionError) -> None:
    """An answer between them begins the count anew; what failed is written."""
    plan = Plan((SEQUENTIAL,), tuple(tasks(12)))
    with pytest.raises(EndpointGoneError, match="5 failures one after the other, the last: "):
        ran(file, plan, FakeEndpoint([*[failure] * 4, None, *[failure] * 6]))

    results = read_results(file)
    assert ([line.task for line in results.answers], len(results.failures)) == (["t4"], 9)


def test_clients_are_patient_with_as_many_failures_more_as_they_are(file: Path) -> None:
    """Four requests may fail at one moment without anything being wrong for long."""
    endpoint = FakeEndpoint([NoAnswerError("cut")] * 8)

    results = ran(file, Plan((closed(4),), tuple(tasks(20))), endpoint)

    assert (len(results.answers), len(results.failures)) == (12, 8)


@pytest.mark.parametrize("kind", [EndpointNotFoundError, NotConnectedError, NotAllowedError])
def test_an_endpoint_that_is_gone_or_may_not_be_asked_ends_a_run_at_once(file: Path, kind: type[DecisionError]) -> None:
    """It says nothing of a decision, so that it is no failure of one."""
    with pytest.raises(EndpointGoneError, match="said why"):
        ran(file, Plan((SEQUENTIAL,), tuple(tasks(3))), FakeEndpoint([None, kind("said why")]))

    results = read_results(file)
    assert ([line.task for line in results.answers], results.failures) == (["t0"], [])


def test_a_client_that_finds_the_endpoint_gone_stops_the_others(file: Path) -> None:
    """What was begun is finished and written; nothing else is begun, although it would have been answered."""
    endpoint = FakeEndpoint([*[None] * 5, EndpointNotFoundError("gone")], before=lambda: time.sleep(0.02))

    with pytest.raises(EndpointGoneError):
        ran(file, Plan((closed(4),), tuple(tasks(600))), endpoint)

    assert 5 <= len(read_results(file).answers) == len(endpoint.asked) - 1 < 500


def test_refusals_for_lack_of_capacity_end_no_run(file: Path) -> None:
    """A busy endpoint is alive, however often it says so."""
    results = ran(
        file, Plan((SEQUENTIAL,), tuple(tasks(30))), FakeEndpoint([EndpointBusyError("busy", status=503)] * 29)
    )

    assert (len(results.answers), len(results.failures)) == (1, 29)
