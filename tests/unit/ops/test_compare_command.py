"""`ops compare` as it is typed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ops import __main__
from ops.__main__ import app
from ops.evidence.libraries import LibraryMissingError, evidence_libraries
from tests.unit.evidence.synthetic import answered, results, write

RIGHT, WRONG = (2.0, 1.0, 0.0), (1.0, 2.0, 0.0)


def _file(folder: Path, name: str, right: list[bool], prefix: str = "t") -> str:
    lines = [answered(f"{prefix}{n}", RIGHT if each else WRONG) for n, each in enumerate(right)]
    return str(write(results(lines, run=name), folder / f"{name}.jsonl"))


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["compare", *arguments])


def test_the_verdict_comes_first_and_flips_last(tmp_path: Path) -> None:
    """One task of five is lost: nothing is shown, and the flip is printed with both distributions."""
    a, b = _file(tmp_path, "a", [True] * 5), _file(tmp_path, "b", [True] * 4 + [False])

    shown = _run(a, b)

    first, *_, flip, of_a, of_b = shown.output.splitlines()
    assert shown.exit_code == 0
    assert first.startswith("No difference shown: A has 5 and B 4 of 5 right")
    assert flip == "Flip: t4 (routing), right is a"
    assert of_a == "  A right: a (a 0.6652, b 0.2447, c 0.0900)"
    assert of_b == "  B wrong: b (a 0.2447, b 0.6652, c 0.0900)"


def test_seconds_are_printed_beside_those_of_a_repeat(tmp_path: Path) -> None:
    """B takes half of A's seconds, and so did A when it was asked again: the reader sees both."""
    lines = [answered("t", repeat=repeat, client_seconds=0.4 / (1 + repeat)) for repeat in (0, 1, 2)]
    a = write(results(lines[:2], run="a"), tmp_path / "a.jsonl")
    twice = write(results(lines, run="twice"), tmp_path / "twice.jsonl")
    b = write(results([answered("t", client_seconds=0.2)], run="b"), tmp_path / "b.jsonl")

    assert "p50: 0.4000 → 0.2000, ratio 0.500; a repeat of A 0.500\n" in _run(str(a), str(b)).output
    assert "ratio 0.500; 2 repeats of A 0.333 to 0.500\n" in _run(str(twice), str(b)).output


def test_what_a_reader_has_to_know_of_the_runs_is_printed(tmp_path: Path) -> None:
    """Notes on labels, a run that ended early, task files that are not the same."""
    a, b = results([answered("t")], run="a", note="labels made by models"), results([answered("t")], run="b")
    (asked,) = b.run.tasks
    b.run = b.run.model_copy(
        update={"tasks": (asked.model_copy(update={"sha256": "0" * 64}),), "decisions": {"sequential": 3}}
    )

    shown = _run(str(write(a, tmp_path / "a.jsonl")), str(write(b, tmp_path / "b.jsonl"))).output

    assert "\nNOTE on every figure that tasks.jsonl is part of: labels made by models\n" in shown
    assert "\nUNFINISHED: decisions that were not asked: 0 of A, 2 of B.\n" in shown
    assert "\nTasks: tasks.jsonl: SHA-256 ffffffffffff… → 000000000000…\n" in shown


def test_nothing_is_said_of_runs_that_were_asked_the_same(tmp_path: Path) -> None:
    """Two whole runs of one file without a note."""
    shown = _run(_file(tmp_path, "a", [True]), _file(tmp_path, "b", [True])).output

    assert not any(word in shown for word in ("NOTE", "UNFINISHED", "Tasks:"))


def test_a_shown_difference_ends_with_1(tmp_path: Path) -> None:
    """Whichever way it goes, a script has to look."""
    a, b = _file(tmp_path, "a", [True] * 9), _file(tmp_path, "b", [False] * 9)

    assert _run(a, b).exit_code == 1
    assert _run(b, a).exit_code == 1
    assert _run(a, b, "--floor", _file(tmp_path, "again", [True] * 9)).exit_code == 1


def test_json_holds_everything(tmp_path: Path) -> None:
    """For programs."""
    a, b = _file(tmp_path, "a", [True, True]), _file(tmp_path, "b", [True, False])

    found = json.loads(_run(a, b, "--json").output)

    assert found["verdict"]["finding"] == "no_difference_shown"
    assert found["counts"]["lost"] == 1
    assert found["flips"][0]["b"]["probabilities"]["b"] == pytest.approx(0.6652, abs=1e-4)


def test_a_task_id_cannot_command_the_terminal(tmp_path: Path) -> None:
    """Escape sequences are shown quoted."""
    a = _file(tmp_path, "a", [True], prefix="\x1b[2J")
    b = _file(tmp_path, "b", [False], prefix="\x1b[2J")

    shown = _run(a, b).output

    assert "\x1b" not in shown
    assert r"\x1b[2J0" in shown


@pytest.mark.parametrize("content", ["", "no JSON\n", '{"kind": "answer"}\n'])
def test_what_is_no_results_file_is_refused_in_one_sentence(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the file's name, and 2 as the code."""
    bad = tmp_path / "bad.jsonl"
    bad.write_text(content, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["ops", "compare", str(bad), str(bad)])

    with pytest.raises(SystemExit) as ended:
        __main__.main()

    assert ended.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_library_that_is_not_installed_is_named_with_what_to_run() -> None:
    """Another module that is missing is a fault of ours and stays one."""
    with pytest.raises(LibraryMissingError, match=r"needs scipy: run `make evidence`\."), evidence_libraries():
        raise ModuleNotFoundError(name="scipy")
    with pytest.raises(ModuleNotFoundError), evidence_libraries():
        raise ModuleNotFoundError(name="evidence.nothing")


def test_the_command_line_starts_without_the_libraries_of_evidence() -> None:
    """None of them is imported by importing the commands."""
    code = (
        "import sys, ops.__main__; print([m for m in ('scipy', 'sklearn', 'matplotlib', 'numpy') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "[]"
