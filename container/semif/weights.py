"""The model file's identity: exactly the named file, its size, and its SHA-256."""

import hashlib
import os
import stat
from pathlib import Path

from semif.decision import StartFailure


def check_file(path: Path, size: int) -> os.stat_result:
    """Checks what needs no reading: the one named regular file, its magic, its size in bytes.

    Returns:
        What the file was, for `check_unchanged`.

    Raises:
        StartFailure: Anything differs.
    """
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
    if status.st_size != size:
        raise StartFailure(f"{path.name} has {status.st_size} bytes where SEMIF_GGUF_BYTES says {size}")
    return status


def check_sha256(path: Path, expected: str) -> None:
    """Hashes the whole file (about 1 GB/s; other threads go on meanwhile).

    Raises:
        StartFailure: The digest differs; both are named.
    """
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if actual != expected:
        raise StartFailure(f"{path.name} has sha256 {actual} where SEMIF_GGUF_SHA256 says {expected}")


def check_unchanged(path: Path, before: os.stat_result) -> None:
    """Checks that hashing and loading, which both open the file by its name, read the same one; after both.

    Raises:
        StartFailure: It was written, renamed or replaced since `check_file`.
    """
    try:
        now = path.lstat()
    except OSError as error:
        raise StartFailure(f"{path} cannot be read any more: {error.strerror}") from error
    if _version(now) != _version(before):
        raise StartFailure(f"{path.name} changed while it was being loaded")


def _version(status: os.stat_result) -> tuple[int, ...]:
    # The change time cannot be set back, and a rename moves it too.
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
