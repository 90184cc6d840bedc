"""What `ops bench` refuses before anything is sent."""

from pathlib import Path

import pytest

from ops.__main__ import main
from tests.unit.evidence.task_rows import native, write
from tests.unit.ops.bench_container import CANARY, Container, serve_everywhere, three_rows


@pytest.fixture
def container(monkeypatch: pytest.MonkeyPatch) -> Container:
    """Return a container that every environment's transport leads to."""
    return serve_everywhere(monkeypatch)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Return a task file of three rows."""
    return three_rows(tmp_path)


REFUSED = {
    "no environment": (["nowhere"], "nowhere"),
    "no URL": (["ftp://host"], "TARGET: url: is none of http or https"),
    "a secret in a URL": ([f"http://{CANARY}:{CANARY}@host"], "TARGET: url: holds more"),
    "a rate alone": (["local", "--rate", "2"], "--rate and --duration: an open loop has both"),
    "a rate of nothing": (["local", "--rate", "0", "--duration", "1"], "are greater than 0"),
    "a rate without end": (["local", "--rate", "inf", "--duration", "1"], "are greater than 0 and finite"),
    "a duration without end": (["local", "--rate", "1", "--duration", "inf"], "are greater than 0 and finite"),
    "a rate that is none": (["local", "--rate", "nan", "--duration", "1"], "are greater than 0 and finite"),
    "more requests than can be planned": (["local", "--rate", "1e9", "--duration", "1"], "more than 1000000 requests"),
    "no number": (["local", "--concurrency", "four"], "--concurrency: is different numbers"),
    "the same number twice": (["local", "--concurrency", "4,4"], "--concurrency: is different numbers"),
    "more clients than are thought of": (["local", "--concurrency", "257"], "--concurrency: is different numbers"),
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
