"""What a model archive has to hold, what it was found to hold, and whether that is the same."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from archive_walk import CHUNK_BYTES, END_BYTES, ArchiveError, ByteSource, GzipMember, next_file, skip_padding
from pinned_model import Pin
from published_manifest import MANIFEST, MANIFEST_BYTES, check_manifest

EXCESS_BYTES = 1 << 28
"""How far a wrong GGUF may exceed the pinned size and still be hashed, so that the refusal can name its digest."""


@dataclass(frozen=True)
class Member:
    """What a member was found to be: its size in bytes, its digest in lower-case hex, and how it begins."""

    size: int
    sha256: str
    head: bytes


@dataclass(frozen=True)
class Contents:
    """What an archive was found to hold: members by name, and what it is itself."""

    members: Mapping[str, Member]
    archive_bytes: int
    archive_sha256: str


def read_archive(body: ByteSource, pin: Pin) -> Contents:
    """Walk the whole archive: exactly the pin's flat files and their manifest in any order, each within its size.

    Raises:
        ArchiveError: It is anything else.
    """
    stream = GzipMember(body)
    limits = {file.name: file.bytes + EXCESS_BYTES for file in pin.files} | {MANIFEST: MANIFEST_BYTES}
    found: dict[str, Member] = {}
    while header := next_file(stream):
        name, size = header.name, header.size
        if name in found or name not in limits:
            raise ArchiveError(f"holds a {'second' if name in found else 'further'} member {name[:100]!r}")
        if size > limits[name]:
            raise ArchiveError(f"holds {name} with {size} bytes, allowed are {limits[name]}")
        found[name] = _read(stream, size, keep=MANIFEST_BYTES if name == MANIFEST else 4)
    stream.finish(END_BYTES)
    if absent := sorted(limits.keys() - found.keys()):
        raise ArchiveError(f"does not hold {' and '.join(absent)}")
    return Contents(found, stream.compressed_bytes, stream.sha256.hexdigest())


def _read(stream: GzipMember, size: int, *, keep: int) -> Member:
    digest, kept = hashlib.sha256(), b""
    for chunk in stream.chunks(size):
        digest.update(chunk)
        if len(kept) < keep:
            kept += chunk[: keep - len(kept)]
    skip_padding(stream, size)
    return Member(size, digest.hexdigest(), kept)


def check_contents(contents: Contents, pin: Pin) -> None:
    """Compare what was found with the pin.

    Raises:
        ArchiveError: They differ; of a digest both values are named.
    """
    for pinned in pin.files:
        found = contents.members[pinned.name]
        if found.sha256 != pinned.sha256:
            raise ArchiveError(
                f"holds a {pinned.name} with sha256 {found.sha256} ({found.size} bytes), "
                f"pinned is sha256 {pinned.sha256} ({pinned.bytes} bytes)"
            )
        if found.size != pinned.bytes:
            raise ArchiveError(f"holds a {pinned.name} with {found.size} bytes, pinned are {pinned.bytes}")
        if found.head != b"GGUF":
            raise ArchiveError(f"holds a {pinned.name} that is no GGUF: it begins with {found.head!r}")
    check_manifest(contents.members[MANIFEST].head, pin)


def most_archive_bytes(pin: Pin) -> int:
    """Return the size no archive of this pin exceeds, compressible or not: 1/1000 covers gzip's block headers."""
    plain = pin.bytes + EXCESS_BYTES + MANIFEST_BYTES + END_BYTES + CHUNK_BYTES
    return plain + plain // 1000
