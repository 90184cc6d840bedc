"""`ops bench` of an endpoint that goes away."""

from pathlib import Path

import pytest

from decision_client.transport import Reply
from evidence.report import page
from evidence.results import ResultsError, read_results
from evidence.summary import summarize
from ops.evidence.bench_text import lines
from tests.unit.ops.bench_container import Container, bench, serve_everywhere, three_rows


@pytest.fixture
def container(monkeypatch: pytest.MonkeyPatch) -> Container:
    """Return a container that every environment's transport leads to."""
    return serve_everywhere(monkeypatch)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Return a task file of three rows."""
    return three_rows(tmp_path)


def test_a_run_whose_endpoint_is_gone_is_resumed(container: Container, rows: Path, tmp_path: Path) -> None:
    """It ends with 1 and the command's own words for going on, which ask the rest and nothing twice."""
    container.gone_after = 2
    arguments = ("local", "--tasks", rows, "--out", tmp_path / "run.jsonl")

    told = bench(*arguments)
    assert told.exit_code == 1
    assert "--resume goes on with it" in told.stderr
    partial = "\n".join(lines(summarize(read_results(tmp_path / "run.jsonl"))))
    assert "UNFINISHED: decisions that were not asked: 1 of sequential." in partial
    assert "this run ended early" in page(read_results(tmp_path / "run.jsonl"))
    container.gone_after = None
    again = bench(*arguments, "--resume")

    assert again.exit_code == 0
    assert len(container.bodies) == 3
    assert "3 of 3 decisions answered" in again.stdout
    assert "UNFINISHED" not in again.stdout


def test_a_run_that_is_interrupted_says_how_to_go_on(
    container: Container, rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends as an interrupted program does, and keeps what was answered."""
    send = container.send

    def interrupted(body: bytes, seconds: float) -> Reply:
        if len(container.bodies) == 2:
            raise KeyboardInterrupt
        return send(body, seconds)

    monkeypatch.setattr(container, "send", interrupted)
    told = bench("local", "--tasks", rows, "--out", tmp_path / "run.jsonl")

    assert told.exit_code == 130
    assert told.stderr.startswith("Interrupted: what was answered is in ")
    assert len(read_results(tmp_path / "run.jsonl").answers) == 2


def test_an_endpoint_that_is_not_there_is_told_in_a_sentence(container: Container, rows: Path, tmp_path: Path) -> None:
    """Nothing is written."""
    container.gone_after = 0

    told = bench("local", "--tasks", rows, "--out", tmp_path / "run.jsonl")

    assert told.exit_code == 2
    assert told.stderr.strip() == "there is no such endpoint; nothing was answered, and nothing is written."
    assert not (tmp_path / "run.jsonl").exists()


@pytest.mark.parametrize("changed", ["definition", "deadline", "repeat", "shared"])
def test_another_run_is_not_gone_on_with(container: Container, rows: Path, tmp_path: Path, changed: str) -> None:
    """A definition that was edited under its version, or another option: what differs is named, nothing is asked."""
    arguments = ["local", "--tasks", rows, "--out", tmp_path / "run.jsonl"]
    bench(*arguments)
    asked = len(container.bodies)
    if changed == "definition":
        file = rows.parent / "definitions/support-route.toml"
        file.write_text(file.read_text().replace("Payments.", "Bills."))
    more = {"deadline": ["--deadline", "9"], "repeat": ["--repeat", "2"], "shared": ["--shared"]}.get(changed, [])
    says = {"definition": "definitions was", "deadline": "deadline_seconds was", "shared": "together was"}

    told = bench(*arguments, *more, "--resume")

    assert isinstance(told.exception, ResultsError)
    assert f"is of another run: {says.get(changed, 'repeat was 1 and is 2')}" in str(told.exception)
    assert len(container.bodies) == asked == 3
