"""A trail in a file: several processes, crashes, permissions."""

import json
import multiprocessing
import os
import stat
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from decision_client.audit.sink import SinkError
from decision_client.audit.trail import read_trail
from decision_client.audit.trail_file import TrailFile
from tests.unit.decision_client.audit.records import decision

PROCESSES, EACH = 4, 50


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the trail will be."""
    return tmp_path / "audit.jsonl"


def test_new_file_is_for_its_owner_alone(path: Path) -> None:
    """Also where the process would let others read what it makes."""
    before = os.umask(0)
    try:
        TrailFile(path).append([decision(1)])
    finally:
        os.umask(before)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(read_trail([path]).asked) == ["r1"]


def test_file_that_others_may_open_is_not_written_to(path: Path) -> None:
    """Unless the application says that they may."""
    path.touch()
    path.chmod(0o644)
    with pytest.raises(SinkError, match="may be opened by others: permissions 44 beyond 600"):
        TrailFile(path).append([decision(1)])
    assert path.read_bytes() == b""

    path.chmod(0o640)
    TrailFile(path, mode=0o640).append([decision(1)])


def _fifo(path: Path) -> None:
    os.mkfifo(path, 0o600)


def _link(path: Path) -> None:
    path.symlink_to(path.parent / "elsewhere")


@pytest.mark.parametrize("make", [_fifo, _link, Path.mkdir])
def test_what_is_no_regular_file_is_not_written_to(path: Path, make: Callable[[Path], None]) -> None:
    """A pipe nobody reads would stop every decision, a link would lead elsewhere."""
    make(path)
    with pytest.raises(SinkError, match="audit"):
        TrailFile(path).append([decision(1)])


def test_missing_folder_is_refused(tmp_path: Path) -> None:
    """The trail's place is for its owner to make."""
    with pytest.raises(SinkError, match="No such file"):
        TrailFile(tmp_path / "none" / "audit.jsonl").append([decision(1)])


def _write_many(path: Path, first: int) -> None:
    trail = TrailFile(path)
    for number in range(first, first + EACH):
        trail.append([decision(number, caller_id="x" * 5000)])


@pytest.mark.rule(
    "several processes append to one audit trail and no record is lost or mixed with another",
    tool="the operating system's own files and locks",
    emulated="",
)
def test_processes_that_write_at_once_mix_no_records(path: Path) -> None:
    """Records longer than a pipe's atomic write stay whole."""
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=_write_many, args=(path, number * EACH)) for number in range(PROCESSES)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    trail = read_trail([path])
    assert trail.broken == []
    assert len(trail.asked) == PROCESSES * EACH


def _write_on(path: Path) -> None:
    trail = TrailFile(path)
    for number in count():
        trail.append([decision(number)])


def test_process_that_is_killed_leaves_whole_records_and_no_lock(path: Path) -> None:
    """At whatever moment it ends, the next process writes on, and at most one line is none."""
    spawn = multiprocessing.get_context("spawn")
    writer = spawn.Process(target=_write_on, args=(path,), daemon=True)
    writer.start()
    while not path.exists() or path.stat().st_size < 20_000:
        time.sleep(0.01)
    writer.kill()
    writer.join()
    TrailFile(path).append([decision(1, id="after")])

    trail = read_trail([path])
    assert len(trail.broken) <= 1
    assert list(trail.asked)[-1] == "after"
    assert len(trail.asked) > 10


@pytest.mark.parametrize("torn", [b'{"kind":"decision","id":"r9', b"\xff\xfe", b"{}"])
def test_line_that_a_crash_tore_harms_no_other(path: Path, torn: bytes) -> None:
    """It stays a line of its own, and is named when the trail is read."""
    trail = TrailFile(path)
    trail.append([decision(1)])
    with path.open("ab") as file:
        file.write(torn)
    trail.append([decision(2)])

    read = read_trail([path])
    assert list(read.asked) == ["r1", "r2"]
    assert read.broken == [f"{path}:2"]


def test_trail_goes_on_where_the_file_was_moved_away(path: Path) -> None:
    """Rotation needs no signal: the file is opened anew for each record."""
    trail = TrailFile(path)
    trail.append([decision(1)])
    moved = path.rename(path.with_suffix(".1"))
    trail.append([decision(2)])

    assert [list(read_trail([file]).asked) for file in (moved, path)] == [["r1"], ["r2"]]
    assert list(read_trail([moved, path, path]).asked) == ["r1", "r2"]


def test_id_with_another_end_of_line_stays_one_record(path: Path) -> None:
    """Only a line feed ends a record, and JSON escapes that."""
    record = decision(1, caller_id="a\u2028b\x85c\r\nd")
    TrailFile(path).append([record])

    assert read_trail([path]).asked["r1"] == record
    assert json.loads(path.read_text("utf-8"))["caller_id"] == record.caller_id
