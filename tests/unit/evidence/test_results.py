"""Results files: what is read, what is refused, and which line of a decision counts."""

from pathlib import Path

import pytest

from evidence.records import IdentityLine, ScaleOut
from evidence.results import ResultsError, read_results
from tests.unit.evidence.synthetic import answered, failed, identity, results, write


def test_the_newest_line_of_a_decision_counts(tmp_path: Path) -> None:
    """A resumed run asks again what failed; the failure is counted as superseded and no longer as a failure."""
    made = results([answered("t1")])
    file = write(made, tmp_path / "run.jsonl")
    with file.open("a") as lines:
        lines.write(f"{failed('t2').model_dump_json()}\n{answered('t2').model_dump_json()}\n")

    read = read_results(file)

    assert [line.task for line in read.answers] == ["t1", "t2"]
    assert (read.failures, read.superseded) == ([], 1)


def test_the_same_task_in_another_phase_is_another_decision(tmp_path: Path) -> None:
    """Phase, repeat and rotation belong to the key."""
    lines = [answered("t1"), answered("t1", phase="closed-4"), answered("t1", repeat=1), answered("t1", rotation=1)]

    assert len(read_results(write(results(lines), tmp_path / "run.jsonl")).answers) == 4


def test_a_cut_off_line_is_left_out(tmp_path: Path) -> None:
    """The process may have died while it wrote; a resumed run answers that decision again."""
    file = write(results([answered("t1"), answered("t2")]), tmp_path / "run.jsonl")
    file.write_bytes(file.read_bytes()[:-30])

    assert [line.task for line in read_results(file).answers] == ["t1"]


def test_a_scale_out_is_kept(tmp_path: Path) -> None:
    """It belongs to the run, not to a decision."""
    file = write(results([answered("t1")]), tmp_path / "run.jsonl")
    line = ScaleOut(phase="open-2", target=3, instances=1, breached_seconds=4.0)
    file.write_text(file.read_text() + line.model_dump_json() + "\n")

    assert read_results(file).scale_outs == [line]


def test_what_is_no_results_file_is_refused_with_its_line(tmp_path: Path) -> None:
    """No header, two headers, an identity record with another digest, an answer without its record, another text."""
    whole = write(results([answered("t1")]), tmp_path / "run.jsonl").read_text().splitlines()
    wrong = IdentityLine(sha256="0" * 64, record=identity()).model_dump_json()
    for lines, says in (
        ([], "is empty"),
        (whole[1:], r":1: a results file has one header"),
        ([*whole, whole[0]], r":4: a results file has one header"),
        ([whole[0], wrong], r":2: the identity record does not have its digest"),
        ([whole[0], whole[2]], r":2: the answer's identity record is not in the file"),
        ([whole[0], "{}"], r":2: "),
    ):
        file = tmp_path / "broken.jsonl"
        file.write_text("".join(f"{line}\n" for line in lines))
        with pytest.raises(ResultsError, match=says):
            read_results(file)
