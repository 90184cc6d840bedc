"""A run: what is asked in which order, what is written, and what is left for a resumed run."""

import threading
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision_client.errors import (
    DecisionError,
    EndpointBusyError,
    EndpointNotFoundError,
    InvalidRequestError,
    ModelFailureError,
    NoAnswerError,
)
from evidence.benchmark import Plan, Told, run
from evidence.exchange import EndpointGoneError
from evidence.plan import SEQUENTIAL, closed, opened
from evidence.results import Results, ResultsError, read_results
from evidence.results_log import ResultsLog
from evidence.run import MOST_OUTSTANDING
from evidence.task import Task
from tests.unit.evidence.fake_endpoint import Clock, FakeEndpoint, header, lines, tasks
from tests.unit.evidence.synthetic import identity


def _run(file: Path, plan: Plan, endpoint: FakeEndpoint, *, resume: bool = False) -> Results:
    run(plan, endpoint, ResultsLog(file, header(), resume=resume), sleep=lambda _seconds: None)
    return read_results(file)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the results go."""
    return tmp_path / "results/run.jsonl"


def test_a_sequential_run_asks_every_task_in_order(file: Path) -> None:
    """One line for each, the identity record once before them."""
    results = _run(file, Plan((SEQUENTIAL,), tuple(tasks(3))), FakeEndpoint())

    assert [line.task for line in results.answers] == ["t0", "t1", "t2"]
    assert all(line.correct and line.phase == "sequential" for line in results.answers)
    assert len(lines(file)) == 5


@pytest.mark.parametrize("clients", [1, 4, 16])
def test_clients_share_the_tasks(file: Path, clients: int) -> None:
    """However many clients there are, every decision is answered once."""
    results = _run(file, Plan((closed(clients),), tuple(tasks(40))), FakeEndpoint())

    assert Counter(line.task for line in results.answers) == Counter(f"t{number}" for number in range(40))
    assert {line.phase for line in results.answers} == {f"closed-{clients}"}


def test_clients_ask_at_the_same_time(file: Path) -> None:
    """Four clients are outstanding together: nobody is answered before all four have asked."""
    together = threading.Barrier(4, timeout=30)

    results = _run(file, Plan((closed(4),), tuple(tasks(8))), FakeEndpoint(before=together.wait))

    assert len(results.answers) == 8


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


def test_rotations_move_the_options(file: Path) -> None:
    """Each of three orders is asked once; a task with two options has two."""
    asked = (*tasks(1), *(Task("p", "f", "noul", "s", "q", each.options[:2], "a") for each in tasks(1)))

    results = _run(file, Plan((SEQUENTIAL,), asked, rotations=3), FakeEndpoint())

    orders = {(line.task, line.rotation): "".join(line.option_ids) for line in results.answers}
    assert orders == {("t0", 0): "abc", ("t0", 1): "bca", ("t0", 2): "cab", ("p", 0): "ab", ("p", 1): "ba"}


def test_equal_states_are_asked_together(file: Path) -> None:
    """Up to so many in one request, by equality of the JSON text: 1 and 1.0 are two states."""
    states = ["x", [1], "x", [1.0], "x", "x"]
    endpoint = FakeEndpoint()

    results = _run(file, Plan((SEQUENTIAL,), tuple(tasks(6, state=states.__getitem__)), together=3), endpoint)

    assert endpoint.asked == [("t0", "t2", "t4"), ("t5",), ("t1",), ("t3",)]
    assert [line.shared for line in results.answers] == [3, 3, 3, 1, 1, 1]
    assert [round(line.queue_seconds, 3) for line in results.answers] == [0.1] * 6


def test_a_refused_decision_is_a_failure_and_the_run_goes_on(file: Path) -> None:
    """Exception, status and code are kept; it counts as wrong."""
    refusal = InvalidRequestError("too long", status=400, code="prompt_too_long")

    results = _run(file, Plan((SEQUENTIAL,), tuple(tasks(3))), FakeEndpoint([None, refusal]))

    (failure,) = results.failures
    assert (failure.task, failure.error, failure.status, failure.code) == (
        "t1",
        "InvalidRequestError",
        400,
        "prompt_too_long",
    )
    assert len(results.answers) == 2


def test_attempts_are_written(file: Path) -> None:
    """What the client had to send again stands with the decision."""
    results = _run(file, Plan((SEQUENTIAL,), tuple(tasks(1))), FakeEndpoint(attempts=3))

    assert (results.answers[0].attempts, results.answers[0].rejections) == (3, 2)


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
        _run(file, plan, FakeEndpoint([None] * 17 + list(death)))
    before = read_results(file)
    endpoint = FakeEndpoint()

    results = _run(file, plan, endpoint, resume=True)

    assert 17 <= len(before.answers) < 40
    assert {line.task for line in before.answers}.isdisjoint({each for one in endpoint.asked for each in one})
    assert Counter(line.task for line in results.answers) == Counter(f"t{number}" for number in range(40))
    assert results.failures == []


def test_an_endpoint_that_is_not_there_leaves_no_file(file: Path) -> None:
    """Nothing was answered, so nothing is written, not even a header."""
    with pytest.raises(EndpointGoneError, match="nothing listens"):
        _run(file, Plan((SEQUENTIAL,), tuple(tasks(3))), FakeEndpoint([EndpointNotFoundError("nothing listens")]))
    assert not file.exists()


def test_refusals_for_lack_of_capacity_end_no_run(file: Path) -> None:
    """A busy endpoint is alive, however often it says so."""
    results = _run(
        file, Plan((SEQUENTIAL,), tuple(tasks(30))), FakeEndpoint([EndpointBusyError("busy", status=503)] * 29)
    )

    assert (len(results.answers), len(results.failures)) == (1, 29)


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
    _run(file, plan, FakeEndpoint())
    whole = file.read_bytes()
    file.write_bytes(whole[: max(whole.index(b"\n") + 1, cut)])

    results = _run(file, plan, FakeEndpoint(), resume=True)

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
        _run(file, plan, FakeEndpoint([None, EndpointNotFoundError("gone")]))

    run(plan, FakeEndpoint(), ResultsLog(file, header(), resume=True), told=told)

    assert heard == [("sequential", 3, 1), 1, 1]


def test_a_file_that_is_there_is_not_written_over(file: Path) -> None:
    """Only a run that is told to resume goes on with it."""
    _run(file, Plan((SEQUENTIAL,), tuple(tasks(1))), FakeEndpoint())

    with pytest.raises(ResultsError, match="is there already; --resume goes on with it"):
        ResultsLog(file, header(), resume=False)


def test_another_run_does_not_go_on_with_a_file(file: Path) -> None:
    """Other settings, tasks or another target would mix two runs; what differs is named."""
    _run(file, Plan((SEQUENTIAL,), tuple(tasks(1))), FakeEndpoint())
    other = header().model_copy(update={"target": "dev"})
    more = header().model_copy(update={"tasks": ()})

    for changed, says in (
        (header(repeat=2), "repeat was 1 and is 2"),
        (header(shared=True), "shared was None and is True"),
        (other, "target differs"),
        (more, "tasks differ"),
    ):
        with pytest.raises(ResultsError, match=says):
            ResultsLog(file, changed, resume=True)


def test_a_file_is_written_by_one_run_at_a_time(file: Path) -> None:
    """The second one is refused before it adds a line."""
    first = ResultsLog(file, header(), resume=False)
    first.identity(identity())
    second = ResultsLog(file, header(), resume=True)

    with pytest.raises(ResultsError, match="another run is writing it"):
        second.write([])
    first.close()
    second.write([])
    assert len(lines(file)) == 2


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

    _run(file, Plan((SEQUENTIAL,), (task, again)), FakeEndpoint([None, refusal]))

    assert "t0" in file.read_text()
    assert canary not in file.read_text()
