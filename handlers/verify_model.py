"""Prove that a published archive holds the pinned GGUF and its manifest, and nothing else.

`on_event` belongs to the custom resource behind VerifiedModel. It reads the archive
once, as a stream, and writes nothing.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import boto3

from archive_walk import CHUNK_BYTES, END_BYTES, ArchiveError, GzipMember, next_file, skip_padding
from lifecycle import BUCKET, COUNT, SHA256, Answer, RefusedError, answer, text_properties

PROPERTIES = {
    "Bucket": BUCKET,
    "Key": re.compile(r"models/[!-~]{1,1000}"),
    "GgufFile": re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,94}\.gguf"),
    "GgufBytes": COUNT,
    "GgufSha256": SHA256,
    "ManifestSha256": SHA256,
    "HandlerVersion": re.compile(r"[!-~]{1,128}"),
}
MANIFEST = "manifest.json"
MANIFEST_BYTES = 1 << 16
EXCESS_BYTES = 1 << 28
"""How far a wrong GGUF may exceed the pinned size and still be hashed, so that the refusal can name its digest."""


class ObjectStore(Protocol):
    """The one S3 call made here."""

    def get_object(self, *, Bucket: str, Key: str) -> Mapping[str, Any]:  # noqa: N803 - S3's own spelling
        """Open an object."""


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


def read_archive(body: Any, pin: Pin) -> Contents:  # noqa: ANN401 - botocore types no streaming body
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
    manifest_sha256 = hashlib.sha256(contents.manifest).hexdigest()
    if manifest_sha256 != pin.manifest_sha256:
        raise ArchiveError(f"holds a {MANIFEST} with sha256 {manifest_sha256}, expected is {pin.manifest_sha256}")
    _check_manifest(contents.manifest, {"file": pin.gguf_file, "bytes": pin.gguf_bytes, "sha256": pin.gguf_sha256})


def _check_manifest(text: bytes, expected: Mapping[str, object]) -> None:
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"holds a {MANIFEST} that is not JSON") from error
    if not isinstance(manifest, dict):
        raise ArchiveError(f"holds a {MANIFEST} that is not a JSON object")
    for name, value in expected.items():
        if type(manifest.get(name)) is not type(value) or manifest[name] != value:
            raise ArchiveError(f"holds a {MANIFEST} whose {name} is {manifest.get(name)!r}, pinned is {value!r}")


def verify(event: Mapping[str, object], store: Callable[[], ObjectStore]) -> Answer:
    """Verify the archive that the event's properties name.

    Raises:
        RefusedError: A property is malformed, or the archive is not what they say.
    """
    given = text_properties(event, PROPERTIES)
    pin = Pin(given["GgufFile"], int(given["GgufBytes"]), given["GgufSha256"].lower(), given["ManifestSha256"].lower())
    url = f"s3://{given['Bucket']}/{given['Key']}"
    try:
        contents = _contents(store(), given["Bucket"], given["Key"], pin)
        check_contents(contents, pin)
    except ArchiveError as error:
        raise RefusedError(f"{url} {error}.") from error
    except Exception as error:
        raise RefusedError(f"{url} cannot be read: {error}") from error
    return {
        "Data": {
            "ModelDataUrl": url,
            "GgufSha256": pin.gguf_sha256,
            "ManifestSha256": pin.manifest_sha256,
            "ArchiveSha256": contents.archive_sha256,
            "ArchiveBytes": str(contents.archive_bytes),
        }
    }


def _contents(store: ObjectStore, bucket: str, key: str, pin: Pin) -> Contents:
    stored = store.get_object(Bucket=bucket, Key=key)
    size, most = int(stored["ContentLength"]), most_archive_bytes(pin)
    if size > most:
        raise ArchiveError(f"has {size} bytes, at most {most} are allowed")
    contents = read_archive(stored["Body"], pin)
    if contents.archive_bytes != size:
        raise ArchiveError(f"ended after {contents.archive_bytes} of {size} bytes")
    return contents


def most_archive_bytes(pin: Pin) -> int:
    """Return the size no archive of this pin exceeds, compressible or not: 1/1000 covers gzip's block headers."""
    plain = pin.gguf_bytes + EXCESS_BYTES + MANIFEST_BYTES + END_BYTES + CHUNK_BYTES
    return plain + plain // 1000


@cache
def _s3() -> ObjectStore:
    return boto3.client("s3")


def on_event(event: Mapping[str, object], _context: object, store: Callable[[], ObjectStore] = _s3) -> Answer:
    """Answer the provider framework; `store` makes the S3 client when one is needed, for Delete never."""
    return answer(event, lambda: verify(event, store))
