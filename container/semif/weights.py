"""The identity of the model's files: exactly the named ones, their sizes, and their SHA-256."""

import hashlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from semif.decision import StartFailure
from semif.split_set import PinnedFile


def check_files(folder: Path, files: Sequence[PinnedFile]) -> list[os.stat_result]:
    """Checks what needs no reading: the named regular files, their magic, their sizes in bytes.

    Returns:
        What each was, for `check_unchanged`.

    Raises:
        StartFailure: Anything differs.
    """
    return [_check_file(folder / file.file, file, _variable(files, file, "BYTES")) for file in files]


def _check_file(path: Path, pinned: PinnedFile, variable: str) -> os.stat_result:
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):  # before it is opened: a pipe in its place would wait for a writer
            raise StartFailure(f"{path} is not a regular file")
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise StartFailure(f"{path} cannot be read: {error.strerror}") from error
    if magic != b"GGUF":
        raise StartFailure(f"{path.name} is not a GGUF file")
    if status.st_size != pinned.bytes:
        raise StartFailure(f"{path.name} has {status.st_size} bytes where {variable} says {pinned.bytes}")
    return status


def check_digests(folder: Path, files: Sequence[PinnedFile]) -> None:
    """Hashes every file whole (about 1 GB/s; other threads go on meanwhile).

    Raises:
        StartFailure: A digest differs; both are named.
    """
    for pinned in files:
        with (folder / pinned.file).open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
        if actual != pinned.sha256:
            variable = _variable(files, pinned, "SHA256")
            raise StartFailure(f"{pinned.file} has sha256 {actual} where {variable} says {pinned.sha256}")


def check_unchanged(folder: Path, files: Sequence[PinnedFile], before: Sequence[os.stat_result]) -> None:
    """Checks that hashing and loading, which both open the files by their names, read the same ones; after both.

    Raises:
        StartFailure: One was written, renamed or replaced since `check_files`.
    """
    for pinned, status in zip(files, before, strict=True):
        path = folder / pinned.file
        try:
            now = path.lstat()
        except OSError as error:
            raise StartFailure(f"{path} cannot be read any more: {error.strerror}") from error
        if _version(now) != _version(status):
            raise StartFailure(f"{path.name} changed while it was being loaded")


def _variable(files: Sequence[PinnedFile], file: PinnedFile, what: str) -> str:
    return f"SEMIF_GGUF_{what}" if file is files[0] else "SEMIF_GGUF_PARTS"


def _version(status: os.stat_result) -> tuple[int, ...]:
    # The change time cannot be set back, and a rename moves it too.
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
