"""A trail's file and the disk under it: what has to be on it, and what a full one leaves."""

import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from decision_client.audit.sink import SinkError
from decision_client.audit.trail import read_trail
from decision_client.audit.trail_file import TrailFile
from tests.unit.decision_client.audit.records import decision


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the trail will be."""
    return tmp_path / "audit.jsonl"


def test_record_and_a_new_files_name_are_on_the_disk_when_append_returns(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written is synchronised after the last byte; the folder too, once, since the name is in it."""
    synchronised: list[tuple[int, int]] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        status = os.fstat(descriptor)
        synchronised.append((status.st_ino, status.st_size))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    trail = TrailFile(path)
    sizes = []
    for number in (1, 2):
        trail.append([decision(number)])
        sizes.append(path.stat().st_size)

    folder = path.parent.stat().st_ino
    assert [size for inode, size in synchronised if inode == path.stat().st_ino] == sizes
    assert [inode for inode, _ in synchronised].count(folder) == 1


@pytest.fixture
def small_disk() -> Iterator[int]:
    """No file may grow beyond some bytes, which the system says as a full disk does: it writes a part."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, before[1]))
    yield 3000
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def test_full_disk_is_said_and_leaves_the_trail_as_it_was(path: Path, small_disk: int) -> None:
    """Nothing of the record that did not fit stays; once there is room, the next one is kept."""
    trail = TrailFile(path)
    trail.append([decision(1)])
    before = path.read_bytes()
    assert small_disk < 2 * len(before)

    with pytest.raises(SinkError, match="No space left on device"):
        trail.append([decision(2)])

    assert path.read_bytes() == before


def test_part_that_cannot_be_taken_back_stays_a_line_of_its_own(
    path: Path, small_disk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that may only grow (`chattr +a`) keeps it; the next record begins on a new line."""

    def refuse(_descriptor: int, _size: int) -> None:
        raise PermissionError

    trail = TrailFile(path)
    trail.append([decision(1)])
    monkeypatch.setattr(os, "ftruncate", refuse)
    with pytest.raises(SinkError, match="No space left on device"):
        trail.append([decision(2)])
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * small_disk, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    trail.append([decision(3)])

    read = read_trail([path])
    assert list(read.asked) == ["r1", "r3"]
    assert read.broken == [f"{path}:2"]
