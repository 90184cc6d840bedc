"""The one file that is hashed and loaded."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from semif.decision import StartFailure
from semif.weights import check_file, check_unchanged


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A file that begins like a model."""
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF and more")
    return path


def test_a_file_that_stays_passes(model: Path) -> None:
    """Reading a file does not change it."""
    before = check_file(model, 13)
    model.read_bytes()

    check_unchanged(model, before)


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
    before = check_file(model, 13)

    change(model)

    with pytest.raises(StartFailure, match=r"changed while it was being loaded|cannot be read any more"):
        check_unchanged(model, before)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    """A pipe in the model's place is no regular file; opening it would wait for a writer."""
    os.mkfifo(tmp_path / "model.gguf")

    with pytest.raises(StartFailure, match="not a regular file"):
        check_file(tmp_path / "model.gguf", 13)
