"""What must be said beside a comparison of two runs."""

from typing import Any

from evidence.compare import compare
from evidence.provenance import ChangedFile
from evidence.records import TaskFile
from evidence.results import Results
from tests.unit.evidence.synthetic import answered, results

OLD, NEW, OTHER = "1" * 64, "2" * 64, "3" * 64


def _run(*files: tuple[str, str, str], **changed: Any) -> Results:
    made = results([answered("t")])
    asked = tuple(TaskFile(name=name, sha256=sha256, rows=1, note=note) for name, sha256, note in files)
    made.run = made.run.model_copy(update={"tasks": asked, **changed})
    return made


def test_a_note_of_either_run_is_said_with_the_comparison() -> None:
    """Each once, also where the runs say different things of one file."""
    a = _run(("same.jsonl", OLD, "by models"), ("own.jsonl", OLD, ""), ("two.jsonl", OLD, "guesses"))
    b = _run(("same.jsonl", OLD, "by models"), ("own.jsonl", OLD, "in a hurry"), ("two.jsonl", OLD, "by one person"))

    assert compare(a, b).provenance.notes == (
        ("same.jsonl", "by models"),
        ("two.jsonl", "guesses"),
        ("own.jsonl", "in a hurry"),
        ("two.jsonl", "by one person"),
    )


def test_task_files_that_are_not_the_same_are_named() -> None:
    """By content, whatever their order; ids are all that pairs tasks, so another text behind one may go unseen."""
    a = _run(("same.jsonl", OLD, ""), ("edited.jsonl", OLD, ""), ("gone.jsonl", OLD, ""))
    b = _run(("edited.jsonl", NEW, ""), ("same.jsonl", OLD, "noted"), ("new.jsonl", NEW, ""))

    assert compare(a, b).provenance.files == (
        ChangedFile("edited.jsonl", (OLD,), (NEW,)),
        ChangedFile("gone.jsonl", (OLD,), ()),
        ChangedFile("new.jsonl", (), (NEW,)),
    )
    assert compare(a, a).provenance.files == ()


def test_files_of_one_name_in_two_folders_are_two_files() -> None:
    """Neither hides the other."""
    both, one = _run(("own.jsonl", OTHER, ""), ("own.jsonl", OLD, "")), _run(("own.jsonl", OLD, ""))

    assert compare(both, one).provenance.files == (ChangedFile("own.jsonl", (OLD, OTHER), (OLD,)),)


def test_a_run_that_ended_early_is_known_as_such() -> None:
    """What it did not come to in the phase that is compared; other phases say nothing here."""
    whole = _run(decisions={"sequential": 1, "closed-4": 7})
    cut = _run(decisions={"sequential": 5})

    found = compare(whole, cut).provenance

    assert (found.unasked_a, found.unasked_b) == (0, 4)
    assert compare(cut, whole).provenance.unasked_a == 4
