"""The model file's identity: exactly the named file, its size, and its SHA-256."""

import hashlib
import stat
from pathlib import Path

from semif.decision import StartFailure


def check_file(path: Path, size: int) -> None:
    """Checks what needs no reading: the one named regular file, its magic, its size in bytes.

    Raises:
        StartFailure: Anything differs.
    """
    try:
        status = path.lstat()
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise StartFailure(f"{path} cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(status.st_mode):
        raise StartFailure(f"{path} is not a regular file")
    if magic != b"GGUF":
        raise StartFailure(f"{path.name} is not a GGUF file")
    if status.st_size != size:
        raise StartFailure(f"{path.name} has {status.st_size} bytes where SEMIF_GGUF_BYTES says {size}")


def check_sha256(path: Path, expected: str) -> None:
    """Hashes the whole file (about 1 GB/s; other threads go on meanwhile).

    Raises:
        StartFailure: The digest differs; both are named.
    """
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if actual != expected:
        raise StartFailure(f"{path.name} has sha256 {actual} where SEMIF_GGUF_SHA256 says {expected}")
