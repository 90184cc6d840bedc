"""The named files that are hashed and loaded, and no others."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from semif.decision import StartFailure
from semif.split_set import PinnedFile
from semif.weights import check_digests, check_files, check_unchanged

FILES = (PinnedFile("model.gguf", 13, hashlib.sha256(b"GGUF and more").hexdigest()),)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A file that begins like a model."""
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF and more")
    return path


def test_a_file_that_stays_passes(model: Path) -> None:
    """Reading a file does not change it."""
    before = check_files(model.parent, FILES)
    model.read_bytes()

    check_unchanged(model.parent, FILES, before)


def replaced(model: Path) -> None:
    """Another file of the same bytes."""
    other = model.with_name("other")
    other.write_bytes(model.read_bytes())
    other.rename(model)


def written(model: Path) -> None:
    """The same size, and the old times put back."""
    status = model.stat()
    while model.stat().st_ctime_ns == status.st_ctime_ns:  # the clock of file times is coarse
        model.write_bytes(b"GGUF or  less")
        os.utime(model, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("change", [replaced, written, Path.unlink])
def test_a_file_that_changed_is_refused(model: Path, change: Callable[[Path], None]) -> None:
    """Whatever happened to the named file between the two readings, the start ends."""
    before = check_files(model.parent, FILES)

    change(model)

    with pytest.raises(StartFailure, match=r"changed while it was being loaded|cannot be read any more"):
        check_unchanged(model.parent, FILES, before)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    """A pipe in the model's place is no regular file; opening it would wait for a writer."""
    os.mkfifo(tmp_path / "model.gguf")

    with pytest.raises(StartFailure, match="not a regular file"):
        check_files(tmp_path, FILES)


NAMES = [f"model-{number:05}-of-00003.gguf" for number in (1, 2, 3)]


def part(name: str) -> PinnedFile:
    """A part by content."""
    content = b"GGUF " + name.encode()
    return PinnedFile(name, len(content), hashlib.sha256(content).hexdigest())


def write(folder: Path, *names: str) -> None:
    """Write parts."""
    for name in names:
        (folder / name).write_bytes(b"GGUF " + name.encode())


def check(folder: Path) -> None:
    """Check a set of three as a start does."""
    files = tuple(part(name) for name in NAMES)
    before = check_files(folder, files)
    check_digests(folder, files)
    check_unchanged(folder, files, before)


def test_a_complete_set_passes_whatever_lies_beside_it(tmp_path: Path) -> None:
    """Only the named files are looked at."""
    write(tmp_path, *NAMES, "model-00004-of-00003.gguf")

    check(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_a_set_in_which_a_part_is_absent_or_wrong_is_refused(name: str, tmp_path: Path) -> None:
    """Each part counts as much as the first, its size as its digest."""
    write(tmp_path, *(other for other in NAMES if other != name))
    with pytest.raises(StartFailure, match=f"{name} cannot be read"):
        check(tmp_path)

    (tmp_path / name).write_bytes(b"GGUF")
    with pytest.raises(StartFailure, match=f"{name} has 4 bytes where SEMIF_GGUF_(BYTES|PARTS) says 30"):
        check(tmp_path)

    (tmp_path / name).write_bytes(b"GGUF" + bytes(26))
    with pytest.raises(StartFailure, match=rf"{name} has sha256 \w+ where SEMIF_GGUF_(SHA256|PARTS) says"):
        check(tmp_path)
