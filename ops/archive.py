"""Read a published model archive once and say what its bytes are."""

import hashlib
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

_PIECE = 1 << 20


class ArchiveError(ValueError):
    """The archive holds no such file, or is no archive."""


class Body(Protocol):
    """An object that is read piece by piece."""

    def read(self, size: int, /) -> bytes:
        """Return at most so many bytes, none at the end."""
        ...


@dataclass(frozen=True)
class Digests:
    """SHA-256 of an archive and of the model in it."""

    archive: str
    gguf: str


def digests(body: Body, file: str) -> Digests:
    """Hash a gzip tar and one file of it.

    Raises:
        ArchiveError: It is no gzip tar, or does not hold the file.
    """
    hashing = _HashingBody(body)
    found = ""
    try:
        with tarfile.open(fileobj=hashing, mode="r|gz") as archive:  # type: ignore[call-overload] # reading is all it does
            for member in archive:
                content = archive.extractfile(member)
                if content and member.name == file:
                    found = digest(content.read)
    except (tarfile.TarError, OSError, EOFError) as error:
        raise ArchiveError(f"is no model archive: {error}") from error
    while hashing.read(_PIECE):
        pass
    if not found:
        raise ArchiveError(f"holds no {file}")
    return Digests(hashing.hash.hexdigest(), found)


def digest(read: Callable[[int], bytes]) -> str:
    """Return the SHA-256 of everything that is read."""
    sha256 = hashlib.sha256()
    while piece := read(_PIECE):
        sha256.update(piece)
    return sha256.hexdigest()


class _HashingBody:
    """Passes a body on and hashes it."""

    def __init__(self, body: Body) -> None:
        self._body, self.hash = body, hashlib.sha256()

    def read(self, size: int) -> bytes:
        piece = self._body.read(size)
        self.hash.update(piece)
        return piece
