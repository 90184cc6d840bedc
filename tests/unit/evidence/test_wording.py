"""One version of a definition is one wording in all files of a run."""

from pathlib import Path

import pytest

from evidence.task_files import TasksError, read_tasks
from tests.unit.evidence.task_rows import DEFINITION, defined, write


def _two_folders(folder: Path, **changed: tuple[str, str]) -> list[Path]:
    files = [write(folder / name / f"{name}.jsonl", defined(id=name)) for name in ("a", "b")]
    text = DEFINITION
    for old, new in changed.values():
        text = text.replace(old, new)
    (folder / "b/definitions/support-route.toml").write_text(text)
    return files


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Which queue should", "Which queue shall"),
        ("Payments.", "Bills."),
        ('abstain_option = "none"', ""),
        ('type = "choice"', 'type = "score"'),
    ],
)
def test_a_wording_that_changed_without_its_version_is_refused(tmp_path: Path, old: str, new: str) -> None:
    """Two folders that define the same version differently would be counted as one question."""
    files = _two_folders(tmp_path, changed=(old, new))

    with pytest.raises(TasksError, match=r"b.jsonl:1: definition: another task file has another wording") as refused:
        read_tasks(files)
    assert "Bills" not in str(refused.value)
    assert [read_tasks([file]).tasks[0].id for file in files] == ["a", "b"]


def test_a_wording_that_changed_with_its_version_is_another_one(tmp_path: Path) -> None:
    """Both are asked, each under its own version; so is one wording that lies in two folders."""
    changed = read_tasks(_two_folders(tmp_path, version=('"2"', '"3"'), wording=("Payments.", "Bills."))).tasks

    assert [task.definition and task.definition.version for task in changed] == ["2", "3"]
    assert len(read_tasks(_two_folders(tmp_path)).tasks) == 2


def test_a_row_names_the_version_where_there_are_several(tmp_path: Path) -> None:
    """Which one it means would depend on the folder otherwise."""
    files = [write(tmp_path / f"{name}.jsonl", defined(id=name, version=name)) for name in ("2", "3")]
    (tmp_path / "definitions/newer.toml").write_text(DEFINITION.replace('"2"', '"3"').replace("Payments.", "Bills."))
    unnamed = write(tmp_path / "unnamed.jsonl", defined())

    assert [task.options[1].description for task in read_tasks(files).tasks] == ["Payments.", "Bills."]
    with pytest.raises(TasksError, match=r"unnamed.jsonl:1: definition: .* versions there: 2, 3"):
        read_tasks([unnamed])
