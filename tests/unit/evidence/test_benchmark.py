"""A run: what is asked in which order, and what is written."""

import threading
from collections import Counter
from pathlib import Path

import pytest

from decision_client.errors import (
    InvalidRequestError,
)
from evidence.benchmark import Plan
from evidence.plan import SEQUENTIAL, closed
from evidence.summary import summarize
from evidence.task import Task
from tests.unit.evidence.fake_endpoint import FakeEndpoint, lines, ran, tasks


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the results go."""
    return tmp_path / "results/run.jsonl"


def test_a_sequential_run_asks_every_task_in_order(file: Path) -> None:
    """One line for each, the identity record once before them."""
    results = ran(file, Plan((SEQUENTIAL,), tuple(tasks(3))), FakeEndpoint())

    assert [line.task for line in results.answers] == ["t0", "t1", "t2"]
    assert all(line.correct and line.phase == "sequential" for line in results.answers)
    assert len(lines(file)) == 5


@pytest.mark.parametrize("clients", [1, 4, 16])
def test_clients_share_the_tasks(file: Path, clients: int) -> None:
    """However many clients there are, every decision is answered once."""
    results = ran(file, Plan((closed(clients),), tuple(tasks(40))), FakeEndpoint())

    assert Counter(line.task for line in results.answers) == Counter(f"t{number}" for number in range(40))
    assert {line.phase for line in results.answers} == {f"closed-{clients}"}


def test_clients_ask_at_the_same_time(file: Path) -> None:
    """Four clients are outstanding together: nobody is answered before all four have asked."""
    together = threading.Barrier(4, timeout=30)

    results = ran(file, Plan((closed(4),), tuple(tasks(8))), FakeEndpoint(before=together.wait))

    assert len(results.answers) == 8


def test_rotations_move_the_options(file: Path) -> None:
    """Each of three orders is asked once; a task with two options has two."""
    asked = (*tasks(1), *(Task("p", "f", "noul", "s", "q", each.options[:2], "a") for each in tasks(1)))

    results = ran(file, Plan((SEQUENTIAL,), asked, rotations=3), FakeEndpoint())

    orders = {(line.task, line.rotation): "".join(line.option_ids) for line in results.answers}
    assert orders == {("t0", 0): "abc", ("t0", 1): "bca", ("t0", 2): "cab", ("p", 0): "ab", ("p", 1): "ba"}


def test_equal_states_are_asked_together(file: Path) -> None:
    """Up to so many in one request, by equality of the JSON text: 1 and 1.0 are two states."""
    states = ["x", [1], "x", [1.0], "x", "x"]
    endpoint = FakeEndpoint()

    results = ran(file, Plan((SEQUENTIAL,), tuple(tasks(6, state=states.__getitem__)), together=3), endpoint)

    assert endpoint.asked == [("t0", "t2", "t4"), ("t5",), ("t1",), ("t3",)]
    assert [line.shared for line in results.answers] == [3, 3, 3, 1, 1, 1]
    assert [round(line.queue_seconds, 3) for line in results.answers] == [0.1] * 6


def test_a_refused_decision_is_a_failure_and_the_run_goes_on(file: Path) -> None:
    """Exception, status and code are kept; it counts as wrong."""
    refusal = InvalidRequestError("too long", status=400, code="prompt_too_long")

    results = ran(file, Plan((SEQUENTIAL,), tuple(tasks(3))), FakeEndpoint([None, refusal]))

    (failure,) = results.failures
    assert (failure.task, failure.error, failure.status, failure.code) == (
        "t1",
        "InvalidRequestError",
        400,
        "prompt_too_long",
    )
    assert len(results.answers) == 2


def test_a_run_that_two_identities_answer_keeps_them_apart(file: Path) -> None:
    """Each record once, before its first answer; each answer names its own, and no figure is of both."""
    endpoint, calls = FakeEndpoint(), iter(range(99))
    endpoint.before = lambda: endpoint.identity.update(backend="cuda" if next(calls) % 2 else "cpu")

    results = ran(file, Plan((SEQUENTIAL,), tuple(tasks(5))), endpoint)

    (phase,) = summarize(results).phases
    assert [results.identities[line.identity].backend for line in results.answers] == [
        "cpu",
        "cuda",
        "cpu",
        "cuda",
        "cpu",
    ]
    assert len(lines(file)) == 1 + 2 + 5
    assert phase.mixed
    assert [(each.accuracy.count, each.client and each.client.count) for each in phase.figures] == [(3, 3), (2, 2)]


def test_attempts_are_written(file: Path) -> None:
    """What the client had to send again stands with the decision."""
    results = ran(file, Plan((SEQUENTIAL,), tuple(tasks(1))), FakeEndpoint(attempts=3))

    assert (results.answers[0].attempts, results.answers[0].rejections) == (3, 2)


@pytest.mark.rule(
    "no line of a results file and no error of a run holds anything of a state, question or description",
    tool="the run and its results file",
    emulated="",
)
def test_results_hold_nothing_of_what_was_asked(file: Path) -> None:
    """Neither state, question nor description stands in the file; ids do."""
    canary = "canary-51d0"
    (plain,) = tasks(1)
    options = tuple(option.model_copy(update={"description": canary}) for option in plain.options)
    task = Task("t0", "routing", "choice", {canary: canary}, canary, options, "a")
    refusal = InvalidRequestError(canary, status=400, code="prompt_too_long")
    again = Task("t1", "routing", "choice", canary, canary, options, "a")

    ran(file, Plan((SEQUENTIAL,), (task, again)), FakeEndpoint([None, refusal]))

    assert "t0" in file.read_text()
    assert canary not in file.read_text()
