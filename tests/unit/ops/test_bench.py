"""`ops bench`: what it asks, what it prints, and what it refuses before anything is sent."""

import json
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from config.loader import load
from decision_client.errors import EndpointNotFoundError
from decision_client.transport import Reply
from evidence.autoscaling import Fleet
from evidence.report import page
from evidence.results import read_results
from evidence.summary import summarize
from ops.__main__ import app, main
from ops.evidence import bench_target
from ops.evidence.bench_text import lines
from ops.evidence.fleet import ScaledEndpoint
from ops.services import Services
from tests.contract.application import Served
from tests.unit.decision_client.listening import Listening, listening
from tests.unit.evidence import synthetic
from tests.unit.evidence.task_rows import defined, native, strands, write
from tests.unit.ops.fake_account import error

CANARY = "canary-90aa"
ONE_INSTANCE: list[dict[str, Any]] = [{"CurrentInstanceCount": 1, "DesiredInstanceCount": 1}]


class Container:
    """The real application around an engine without weights, asked over HTTP or as SageMaker's transport."""

    def __init__(self) -> None:
        """Nothing was asked."""
        self.served = Served()
        self.bodies: list[bytes] = []
        self.gone_after: int | None = None
        self._lock = threading.Lock()

    def over_http(self, handler: BaseHTTPRequestHandler, at: Listening) -> None:
        """Answer what was received last; tests that use this ask one after the other."""
        reply = self.send(at.received[-1].body, 1)
        handler.send_response(reply.status)
        handler.send_header("Content-Length", str(len(reply.body)))
        handler.end_headers()
        handler.wfile.write(reply.body)

    def send(self, body: bytes, _timeout_seconds: float) -> Reply:
        """Answer."""
        if self.gone_after == len(self.bodies):
            raise EndpointNotFoundError("there is no such endpoint", status=404)
        self.bodies.append(body)
        with self._lock:  # the application is made for one event loop
            response = self.served.post(body)
        return Reply(response.status_code, response.content)


@pytest.fixture
def container(monkeypatch: pytest.MonkeyPatch) -> Container:
    """Return a container that every environment's transport leads to."""
    made = Container()
    monkeypatch.setattr(bench_target, "SageMakerTransport", lambda _name, **_: made)
    monkeypatch.setattr(Services, "of_region", lambda _region: SimpleNamespace(sagemaker=FakeSageMaker(ONE_INSTANCE)))
    return made


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Return a task file: three rows, two of them of one state."""
    listed = [defined(), defined(id="t2", gold="none"), native(id="t3", state=CANARY, family="holding")]
    return write(tmp_path / "own.jsonl", *listed)


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])


def test_a_container_is_asked_by_its_url(container: Container, rows: Path, tmp_path: Path) -> None:
    """Over real HTTP; the figures are printed, the results file is named and holds every line."""
    with listening(container.over_http) as at:
        told = _run(at.url, "--tasks", rows, "--out", tmp_path / "run.jsonl")

    assert told.exit_code == 0, told.output
    assert "sequential: 3 of 3 decisions answered" in told.stdout
    assert "valid       3 of 3" in told.stdout
    results = read_results(tmp_path / "run.jsonl")
    assert results.run.target == at.url
    assert [line.task for line in results.answers] == ["t1", "t2", "t3"]
    page = (tmp_path / "run.html").read_text()
    assert "own.jsonl" in page
    assert CANARY not in told.output + (tmp_path / "run.jsonl").read_text() + page


def test_an_environment_is_asked_through_sagemaker(container: Container, rows: Path, tmp_path: Path) -> None:
    """Its decision endpoint by name; every phase that is asked for has its figures."""
    out = tmp_path / "run.jsonl"
    told = _run("local", "--tasks", rows, "--sequential", "--concurrency", 1, 4, "--out", out, "--json")

    document = json.loads(told.stdout)
    assert document["run"]["target"] == "local: semif-local-decision"
    assert [phase["name"] for phase in document["phases"]] == ["sequential", "closed-1", "closed-4"]
    assert [phase["answered"] for phase in document["phases"]] == [3, 3, 3]
    assert len(container.bodies) == 9


def test_decisions_about_one_state_are_sent_together(container: Container, rows: Path, tmp_path: Path) -> None:
    """Two of the three rows have an equal state."""
    told = _run("local", "--tasks", rows, "--shared", "--out", tmp_path / "run.jsonl")

    assert told.exit_code == 0
    assert [list(json.loads(body)) for body in container.bodies] == [["decisions"], ["decision"]]
    assert "requests    2, attempts 2" in told.stdout


def test_an_open_loop_lasts_as_long_as_told(container: Container, rows: Path, tmp_path: Path) -> None:
    """Forty requests a second for a tenth of one are four."""
    told = _run("local", "--tasks", rows, "--rate", "40", "--duration", "0.1", "--out", tmp_path / "run.jsonl")

    assert told.exit_code == 0
    assert len(container.bodies) == 4
    assert "open-40: 4 of 4 decisions answered" in told.stdout
    assert "scaling     the target was not breached" in told.stdout


def test_a_folder_stands_for_its_task_files(container: Container, rows: Path, tmp_path: Path) -> None:
    """In the order of their names."""
    write(rows.parent / "more.jsonl", native(id="t4"))

    told = _run("local", "--tasks", rows.parent, "--out", tmp_path / "out/run.jsonl")

    assert "4 of 4" in told.stdout
    assert len(container.bodies) == 4


def test_labels_made_by_models_are_said_with_the_figures(container: Container, tmp_path: Path) -> None:
    """By the format's own note, or the caller's."""
    files = [write(tmp_path / "flips.jsonl", strands()), write(tmp_path / "own.jsonl", native())]

    told = _run(
        "local", "--tasks", *files, "--note", "own.jsonl=labels are guesses", "--out", tmp_path / "run/run.jsonl"
    )

    assert container.bodies
    assert "NOTE on every figure that flips.jsonl is part of: labels made and checked by models" in told.stdout
    assert "NOTE on every figure that own.jsonl is part of: labels are guesses" in told.stdout


def test_a_run_whose_endpoint_is_gone_is_resumed(container: Container, rows: Path, tmp_path: Path) -> None:
    """It ends with 1 and the command's own words for going on, which ask the rest and nothing twice."""
    container.gone_after = 2
    arguments = ("local", "--tasks", rows, "--out", tmp_path / "run.jsonl")

    told = _run(*arguments)
    assert told.exit_code == 1
    assert "--resume goes on with it" in told.stderr
    partial = "\n".join(lines(summarize(read_results(tmp_path / "run.jsonl"))))
    assert "UNFINISHED: decisions that were not asked: 1 of sequential." in partial
    assert "this run ended early" in page(read_results(tmp_path / "run.jsonl"))
    container.gone_after = None
    again = _run(*arguments, "--resume")

    assert again.exit_code == 0
    assert len(container.bodies) == 3
    assert "3 of 3 decisions answered" in again.stdout
    assert "UNFINISHED" not in again.stdout


def test_an_endpoint_that_is_not_there_is_told_in_a_sentence(container: Container, rows: Path, tmp_path: Path) -> None:
    """Nothing is written."""
    container.gone_after = 0

    told = _run("local", "--tasks", rows, "--out", tmp_path / "run.jsonl")

    assert told.exit_code == 2
    assert told.stderr.strip() == "there is no such endpoint; nothing was answered, and nothing is written."
    assert not (tmp_path / "run.jsonl").exists()


def test_an_environment_takes_so_many_decisions_together(container: Container, tmp_path: Path) -> None:
    """As its file says: nine decisions of one state are two requests where it says eight."""
    rows = [native(id=f"t{number}") for number in range(9)]

    told = _run("local", "--tasks", write(tmp_path / "own.jsonl", *rows), "--shared", "--out", tmp_path / "run.jsonl")

    assert "requests    2, attempts 2" in told.stdout
    assert len(json.loads(container.bodies[0])["decisions"]) == load("local").decision.limits.max_shared_decisions == 8


REFUSED = {
    "no environment": (["nowhere"], "nowhere"),
    "no URL": (["ftp://host"], "TARGET: url: is none of http or https"),
    "a secret in a URL": ([f"http://{CANARY}:{CANARY}@host"], "TARGET: url: holds more"),
    "a rate alone": (["local", "--rate", "2"], "--rate and --duration: an open loop has both"),
    "a rate of nothing": (["local", "--rate", "0", "--duration", "1"], "are greater than 0"),
    "no number": (["local", "--concurrency", "four"], "--concurrency: is different numbers"),
    "the same number twice": (["local", "--concurrency", "4,4"], "--concurrency: is different numbers"),
    "no clients": (["local", "--concurrency", "0"], "--concurrency: is different numbers"),
    "a note for nothing": (["local", "--note", "by models"], "--note: is FILE=TEXT"),
    "a page as results": (["local", "--out", "run.html"], "--out: is the results file"),
    "a resumed run of no file": (["local", "--resume"], "--resume: needs --out"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_what_makes_no_sense_is_refused(
    container: Container,
    rows: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    case: tuple[list[str], str],
) -> None:
    """One sentence, exit code 2, nothing sent."""
    arguments, says = case
    monkeypatch.setattr("sys.argv", ["ops", "bench", *arguments, "--tasks", str(rows)])

    with pytest.raises(SystemExit) as ended:
        main()

    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert says in said
    assert said.count("\n") == 1
    assert CANARY not in said
    assert container.bodies == []


@pytest.mark.rule(
    "a labels file with an undeclared option, an id twice or no gold is refused with its line, and nothing is sent",
    tool="the command line",
    emulated="",
)
def test_broken_labels_are_refused_with_their_lines(
    container: Container, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every broken row has a line of its own; the good one between them is not asked."""
    rows = [native(gold=CANARY), native(id="t2"), native(id="t2", state=CANARY), native(id="t3", gold=...)]
    file = write(tmp_path / "own.jsonl", *rows)
    monkeypatch.setattr(
        "sys.argv", ["ops", "bench", "local", "--tasks", str(file), "--out", str(tmp_path / "out.jsonl")]
    )

    with pytest.raises(SystemExit) as ended:
        main()

    said = capsys.readouterr().err.splitlines()
    assert ended.value.code == 2
    assert said == [
        f"{file}:1: gold: is none of the declared options",
        f"{file}:3: id: {file}:2 has it too",
        f"{file}:4: gold: Field required",
    ]
    assert container.bodies == []
    assert not (tmp_path / "out.jsonl").exists()


def test_mixed_identities_are_said_and_not_averaged() -> None:
    """Each identity has its own figures under the phase."""
    other = synthetic.identity(backend="cuda")
    answers = [synthetic.answered("t1"), synthetic.answered("t2", identity=other.sha256)]
    told = "\n".join(lines(summarize(synthetic.results(answers, synthetic.identity(), other))))

    assert "MIXED: 2 identities answered" in told
    assert told.count("accuracy    1 of 1") == 2
    assert "accuracy    2 of 2" not in told


def test_what_is_as_in_the_first_phase_is_not_repeated() -> None:
    """Accuracy by type and family stands once if every phase has the same, and again where one differs."""
    answers = [synthetic.answered("t1", phase=phase) for phase in ("sequential", "closed-4")]
    answers.append(synthetic.answered("t1", phase="closed-16", gold="b"))

    told = "\n".join(lines(summarize(synthetic.results(answers))))

    assert told.count("by type and family as in sequential") == 1
    assert told.count("family    routing") == 2


def test_a_name_that_a_terminal_would_obey_is_quoted() -> None:
    """Families and errors come from files."""
    told = "\n".join(lines(summarize(synthetic.results([synthetic.answered("t1", family="\x1b[2Jgone")]))))

    assert "\x1b" not in told


class FakeSageMaker:
    """Describes an endpoint, or refuses to."""

    def __init__(self, variants: list[dict[str, Any]] | Exception) -> None:
        """What it describes."""
        self._variants = variants

    def describe_endpoint(self, *, EndpointName: str) -> dict[str, Any]:  # noqa: N803 - boto3's spelling
        """Describe it."""
        assert EndpointName == "semif-local-decision"
        if isinstance(self._variants, Exception):
            raise self._variants
        return {"ProductionVariants": self._variants}


@pytest.mark.parametrize(
    ("described", "seen"),
    [
        ([{"CurrentInstanceCount": 1, "DesiredInstanceCount": 2}], Fleet(1, 2)),
        ([{}], None),
        (error("ThrottlingException"), None),
    ],
)
def test_a_fleet_is_seen_as_sagemaker_describes_it(described: Any, seen: Fleet | None) -> None:
    """While an endpoint is created or SageMaker is busy there is nothing to see, and the run goes on."""
    scaling = load("local").decision.scaling
    assert scaling
    sagemaker: Any = FakeSageMaker(described)

    scaled = ScaledEndpoint(sagemaker, "semif-local-decision", scaling)

    assert scaled.fleet() == seen
    assert (scaled.metric, scaled.value) == ("concurrent_requests_per_model", 3)
