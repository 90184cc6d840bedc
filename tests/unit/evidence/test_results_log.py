"""The results file of a run that goes on: who may write it."""

import errno
import os
from pathlib import Path

import pytest

from evidence.benchmark import Plan
from evidence.plan import SEQUENTIAL
from evidence.results import ResultsError, read_results
from evidence.results_log import ResultsLog
from tests.unit.evidence.fake_endpoint import FakeEndpoint, header, lines, ran, tasks
from tests.unit.evidence.synthetic import answered, identity


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the results go."""
    return tmp_path / "results/run.jsonl"


def test_a_file_that_is_there_is_not_written_over(file: Path) -> None:
    """Only a run that is told to resume goes on with it."""
    ran(file, Plan((SEQUENTIAL,), tuple(tasks(1))), FakeEndpoint())

    with pytest.raises(ResultsError, match="is there already; --resume goes on with it"):
        ResultsLog(file, header(), resume=False)


def test_another_run_does_not_go_on_with_a_file(file: Path) -> None:
    """Other settings, tasks or another target would mix two runs; what differs is named."""
    ran(file, Plan((SEQUENTIAL,), tuple(tasks(1))), FakeEndpoint())
    other = header().model_copy(update={"target": "dev"})
    more = header().model_copy(update={"tasks": ()})
    noted = header().model_copy(update={"tasks": (header().tasks[0].model_copy(update={"note": "by models"}),)})

    for changed, says in (
        (header(repeat=2), "repeat was 1 and is 2"),
        (header(shared=True), "shared was None and is True"),
        (other, "target differs"),
        (more, "tasks differ"),
        (noted, "notes differ"),
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


@pytest.mark.parametrize("length", [1, 5, 13, 40, -1])
def test_a_run_that_was_killed_in_its_first_line_is_begun_anew(file: Path, length: int) -> None:
    """Half a header holds nothing: a resumed run writes it whole."""
    plan = Plan((SEQUENTIAL,), tuple(tasks(1)))
    ran(file, plan, FakeEndpoint())
    file.write_bytes(lines(file)[0].encode()[:length])

    results = ran(file, plan, FakeEndpoint(), resume=True)

    assert ([line.task for line in results.answers], len(lines(file))) == (["t0"], 3)


def test_a_file_that_cannot_be_made_is_told_in_a_sentence(tmp_path: Path) -> None:
    """Such as one in a folder that is a file."""
    (tmp_path / "taken").write_text("")
    log = ResultsLog(tmp_path / "taken/run.jsonl", header(), resume=False)

    with pytest.raises(ResultsError, match=r"taken/run.jsonl: cannot be written: "):
        log.write([answered("t1")])


@pytest.mark.parametrize("content", ["x", '{"kind":"answer"', "no end of line"])
def test_another_file_is_not_taken_for_half_a_header(tmp_path: Path, content: str) -> None:
    """What is there stays there."""
    other = tmp_path / "other.txt"
    other.write_text(content)

    with pytest.raises(ResultsError, match="is empty"):
        ResultsLog(other, header(), resume=True)
    assert other.read_text() == content


def test_half_a_line_that_did_not_fit_is_taken_back(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk ends the run; what other clients still write is not behind half a line."""
    log, write = ResultsLog(file, header(), resume=False), os.write
    log.identity(identity())

    def full(descriptor: int, data: bytes) -> int:
        if len(data) < 100:
            raise OSError(errno.ENOSPC, "no space left on device")
        return write(descriptor, data[:-50])

    with monkeypatch.context() as disk:
        disk.setattr(os, "write", full)
        with pytest.raises(ResultsError, match=r"run.jsonl: cannot be written: no space"):
            log.write([answered("t1")])
    log.write([answered("t2")])
    log.close()

    assert [line.task for line in read_results(file).answers] == ["t2"]
    assert {task for _, task, _, _ in log.answered} == {"t2"}
