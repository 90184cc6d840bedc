"""What a model archive has to hold, what it was found to hold, and whether that is the same."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from archive_walk import CHUNK_BYTES, END_BYTES, ArchiveError, ByteSource, GzipMember, next_file, skip_padding

MANIFEST = "manifest.json"
MANIFEST_BYTES = 1 << 16
EXCESS_BYTES = 1 << 28
"""How far a wrong GGUF may exceed the pinned size and still be hashed, so that the refusal can name its digest."""


@dataclass(frozen=True)
class Pin:
    """What the archive has to hold; digests in lower-case hex."""

    gguf_file: str
    gguf_bytes: int
    gguf_sha256: str
    manifest_sha256: str


@dataclass(frozen=True)
class Contents:
    """What an archive was found to hold."""

    gguf_bytes: int
    gguf_sha256: str
    gguf_magic: bytes
    manifest: bytes
    archive_bytes: int
    archive_sha256: str


def read_archive(body: ByteSource, pin: Pin) -> Contents:
    """Walk the whole archive: exactly two flat files in any order, each within its size.

    Raises:
        ArchiveError: It is anything else.
    """
    stream = GzipMember(body)
    limits = {pin.gguf_file: pin.gguf_bytes + EXCESS_BYTES, MANIFEST: MANIFEST_BYTES}
    found: dict[str, tuple[int, str, bytes]] = {}
    while member := next_file(stream):
        if member.name in found or member.name not in limits:
            raise ArchiveError(
                f"holds a {'second' if member.name in found else 'further'} member {member.name[:100]!r}"
            )
        if member.size > limits[member.name]:
            raise ArchiveError(f"holds {member.name} with {member.size} bytes, allowed are {limits[member.name]}")
        keep = MANIFEST_BYTES if member.name == MANIFEST else 4
        digest, kept = hashlib.sha256(), b""
        for chunk in stream.chunks(member.size):
            digest.update(chunk)
            if len(kept) < keep:
                kept += chunk[: keep - len(kept)]
        skip_padding(stream, member.size)
        found[member.name] = (member.size, digest.hexdigest(), kept)
    stream.finish(END_BYTES)
    if absent := sorted(limits.keys() - found.keys()):
        raise ArchiveError(f"does not hold {' and '.join(absent)}")
    size, sha256, magic = found[pin.gguf_file]
    archive_sha256 = stream.sha256.hexdigest()
    return Contents(size, sha256, magic, found[MANIFEST][2], stream.compressed_bytes, archive_sha256)


def check_contents(contents: Contents, pin: Pin) -> None:
    """Compare what was found with the pin.

    Raises:
        ArchiveError: They differ; of a digest both values are named.
    """
    if contents.gguf_sha256 != pin.gguf_sha256:
        raise ArchiveError(
            f"holds a {pin.gguf_file} with sha256 {contents.gguf_sha256} ({contents.gguf_bytes} bytes), "
            f"pinned is sha256 {pin.gguf_sha256} ({pin.gguf_bytes} bytes)"
        )
    if contents.gguf_bytes != pin.gguf_bytes:
        raise ArchiveError(f"holds a {pin.gguf_file} with {contents.gguf_bytes} bytes, pinned are {pin.gguf_bytes}")
    if contents.gguf_magic != b"GGUF":
        raise ArchiveError(f"holds a {pin.gguf_file} that is no GGUF: it begins with {contents.gguf_magic!r}")
    check_manifest(contents.manifest, pin)


def check_manifest(text: bytes, pin: Pin) -> None:
    """Compare a manifest with the pin.

    Raises:
        ArchiveError: It is another one, or says something else of the GGUF.
    """
    manifest_sha256 = hashlib.sha256(text).hexdigest()
    if manifest_sha256 != pin.manifest_sha256:
        raise ArchiveError(f"holds a {MANIFEST} with sha256 {manifest_sha256}, expected is {pin.manifest_sha256}")
    _check_fields(text, {"file": pin.gguf_file, "bytes": pin.gguf_bytes, "sha256": pin.gguf_sha256})


def _check_fields(text: bytes, expected: Mapping[str, object]) -> None:
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"holds a {MANIFEST} that is not JSON") from error
    if not isinstance(manifest, dict):
        raise ArchiveError(f"holds a {MANIFEST} that is not a JSON object")
    for name, value in expected.items():
        if type(manifest.get(name)) is not type(value) or manifest[name] != value:
            raise ArchiveError(f"holds a {MANIFEST} whose {name} is {manifest.get(name)!r}, pinned is {value!r}")


def most_archive_bytes(pin: Pin) -> int:
    """Return the size no archive of this pin exceeds, compressible or not: 1/1000 covers gzip's block headers."""
    plain = pin.gguf_bytes + EXCESS_BYTES + MANIFEST_BYTES + END_BYTES + CHUNK_BYTES
    return plain + plain // 1000
