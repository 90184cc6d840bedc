"""Later corrections."""

import fcntl
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from decision_client.audit.correction import OverrideError, override
from decision_client.audit.trail import Trail, read_trail
from decision_client.audit.trail_file import TrailFile
from tests.unit.decision_client.audit.records import correction, decision, failure

NOW = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A trail with two answers, two of one caller's id, and a failure."""
    path = tmp_path / "audit.jsonl"
    records = [decision(1), decision(2), decision(3, caller_id="twice"), decision(4, caller_id="twice")]
    TrailFile(path).append([*records, failure(5, "DeadlineExceededError")])
    return path


@pytest.mark.parametrize("wanted", ["r1", "case-1"])
def test_correction_is_appended_and_changes_nothing_before_it(path: Path, wanted: str) -> None:
    """It names the record by its own id or the caller's, who said it, and what the endpoint had chosen."""
    before = path.read_bytes()

    made = override(TrailFile(path), wanted, "billing", "ana", now=lambda: NOW)

    after = path.read_bytes()
    assert after.startswith(before)
    assert json.loads(after[len(before) :]) == json.loads(made.model_dump_json())
    assert (made.decision, made.answered, made.choice, made.by, made.agrees) == (
        "r1",
        "account",
        "billing",
        "ana",
        False,
    )
    assert made.time == NOW


@pytest.mark.parametrize(
    ("wanted", "choice", "by", "said"),
    [
        ("r9", "billing", "ana", "r9: is no id in this trail"),
        ("r", "billing", "ana", "r: is no id in this trail"),
        ("r1", "sales", "ana", "--choice: is none of account, billing, none"),
        ("r1", "billing", "", "--by: is empty"),
        ("twice", "billing", "ana", "twice: several decisions have this caller's id; name one record: r3, r4"),
        ("r5", "billing", "ana", "r5: was not answered: there is nothing to correct"),
    ],
)
def test_correction_that_cannot_be_meant_writes_nothing(
    path: Path, wanted: str, choice: str, by: str, said: str
) -> None:
    """One sentence says why."""
    before = path.read_bytes()
    with pytest.raises(OverrideError) as caught:
        override(TrailFile(path), wanted, choice, by)
    assert str(caught.value) == said
    assert path.read_bytes() == before


def test_same_correction_twice_is_refused(path: Path) -> None:
    """Another person may agree, and the same person may change their mind."""
    trail = TrailFile(path)
    override(trail, "r1", "billing", "ana", now=lambda: NOW)
    later = (NOW + timedelta(hours=hour) for hour in count(1))
    with pytest.raises(OverrideError, match="r1: ana has said so already, at 2026-12-01"):
        override(trail, "case-1", "billing", "ana")
    for choice in ("billing", "account", "billing"):
        override(trail, "r1", choice, "ben", now=lambda: next(later))

    last = read_trail([path]).last_override("r1")
    assert last
    assert (last.choice, last.by) == ("billing", "ben")


def test_same_correction_of_several_at_once_is_written_once(path: Path) -> None:
    """Who says it second is told so, though both have looked before: the trail is held from the look to the line."""

    def say(_number: int) -> bool:
        try:
            override(TrailFile(path), "case-1", "billing", "ana")
        except OverrideError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(say, range(16))) == 1
    assert len(read_trail([path]).overrides) == 1


def test_last_correction_is_the_latest_by_its_time() -> None:
    """Whatever its id, and in whichever order files of a trail are read."""
    first, second = (
        correction(number, decision(1), choice).model_copy(update={"id": name})
        for number, name, choice in ((1, "z", "billing"), (2, "a", "none"))
    )
    for order in ((first, second), (second, first)):
        trail = Trail()
        trail.add(("", each.model_dump_json()) for each in order)
        assert trail.last_override("r1") == second
        assert trail.last_override("r2") is None


def test_trail_is_held_while_a_correction_is_made(path: Path) -> None:
    """Between the look and the line nobody else gets at it."""
    looked = []

    def noon() -> datetime:
        with path.open() as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        looked.append(True)
        return NOW

    override(TrailFile(path), "r1", "billing", "ana", now=noon)
    assert looked


@pytest.mark.parametrize("end", [2, 40, 400])
def test_trail_that_was_cut_off_is_corrected_and_nothing_of_it_is_lost(path: Path, end: int) -> None:
    """The torn record stays a line of its own; what stands before it can be corrected, the torn one cannot."""
    path.write_bytes(path.read_bytes()[:-end])
    override(TrailFile(path), "r1", "billing", "ana")
    with pytest.raises(OverrideError, match=r"r5: is no id in this trail"):
        override(TrailFile(path), "r5", "billing", "ana")

    read = read_trail([path])
    assert list(read.asked) == ["r1", "r2", "r3", "r4"]
    assert (len(read.broken), len(read.overrides)) == (1, 1)


def test_trail_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    """A wrong path is said to be one."""
    with pytest.raises(OverrideError, match="is not there"):
        override(TrailFile(tmp_path / "none.jsonl"), "r1", "billing", "ana")
    assert not (tmp_path / "none.jsonl").exists()
