"""How the bytes of a task file become rows, whoever saved it."""

import json
from pathlib import Path

import pytest

from evidence.rows.line import parse
from evidence.task_files import TasksError, read_tasks
from tests.unit.evidence.task_rows import jevbench, native

ROWS = "".join(f"{json.dumps(native(id=each, state='한국어'), ensure_ascii=False)}\n" for each in ("t1", "t2"))


@pytest.mark.parametrize(
    "content",
    [
        ROWS.encode("utf-8-sig"),
        ROWS.replace("\n", "\r\n").encode(),
        ROWS.replace("\n", "\r\n\r\n").encode("utf-8-sig"),
        ROWS.rstrip("\n").encode(),
    ],
    ids=["a byte order mark", "CRLF", "both, and empty lines", "no end of the last line"],
)
def test_a_file_as_another_editor_saves_it_has_the_same_rows(tmp_path: Path, content: bytes) -> None:
    """A byte order mark, line ends of another system and empty lines say nothing."""
    (tmp_path / "own.jsonl").write_bytes(content)

    labelled = read_tasks([tmp_path / "own.jsonl"])

    assert [(task.id, task.state) for task in labelled.tasks] == [("t1", "한국어"), ("t2", "한국어")]
    assert labelled.files[0].rows == 2


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "cp949"])
def test_a_file_in_another_encoding_is_refused(tmp_path: Path, encoding: str) -> None:
    """It is not guessed at, which would read the first line of some and no other."""
    (tmp_path / "own.jsonl").write_bytes(ROWS.encode(encoding))

    with pytest.raises(TasksError, match=r"own.jsonl:1: is no "):
        read_tasks([tmp_path / "own.jsonl"])
    with pytest.raises(ValueError, match="is no "):
        parse(json.dumps({"id": "한국어"}, ensure_ascii=False).encode(encoding))


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "-Infinity"])
def test_a_number_that_is_none_is_refused_wherever_it_stands(number: str) -> None:
    """Also in a question, which would have the word for it."""
    row = json.dumps(jevbench(question={"type": "score", "instructions": ["NUMBER"], "criteria": ["a", "b", "c"]}))

    with pytest.raises(ValueError, match="has a number that is not finite"):
        parse(row.replace('"NUMBER"', number).encode())


def test_a_long_line_is_a_row(tmp_path: Path) -> None:
    """How much an endpoint takes, the endpoint says."""
    (tmp_path / "own.jsonl").write_text(json.dumps(native(state="x" * 3_000_000)))

    (task,) = read_tasks([tmp_path / "own.jsonl"]).tasks

    assert len(task.state) == 3_000_000
