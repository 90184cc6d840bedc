"""Read a published model archive once and say what its bytes are."""

import hashlib
import tarfile
from collections.abc import Callable, Iterable, Mapping
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
    """SHA-256 of an archive and, by name, of the model's files in it."""

    archive: str
    files: Mapping[str, str]


def digests(body: Body, files: Iterable[str]) -> Digests:
    """Hash a gzip tar and the files in it that are named.

    Raises:
        ArchiveError: It is no gzip tar, or does not hold one of them.
    """
    hashing = _HashingBody(body)
    wanted, found = list(files), dict[str, str]()
    try:
        with tarfile.open(fileobj=hashing, mode="r|gz") as archive:  # type: ignore[call-overload] # reading is all it does
            for member in archive:
                content = archive.extractfile(member)
                if content and member.name in wanted:
                    found[member.name] = digest(content.read)
    except (tarfile.TarError, OSError, EOFError) as error:
        raise ArchiveError(f"is no model archive: {error}") from error
    while hashing.read(_PIECE):
        pass
    if absent := [name for name in wanted if name not in found]:
        raise ArchiveError(f"holds no {absent[0]}")
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
