# ruff: noqa: N803 - the keywords of the client's calls are S3's own
"""Prove that a prefix of a bucket holds exactly the pinned GGUF and its manifest, as they are."""

import base64
import hashlib
from collections.abc import Mapping
from typing import Any, Literal, Protocol

from archive_walk import CHUNK_BYTES, ArchiveError
from pinned_model import Pin, PinnedFile
from published_manifest import MANIFEST, MANIFEST_BYTES, check_manifest

MOST_PUT_BYTES = 5 * 1024**3
"""No object beyond it was written in one put, so no SHA-256 that S3 shows for it is of the whole."""
BY_CHECKSUM = "S3 compared a full-object SHA-256 when the GGUF was put in one piece"
BY_READING = "every byte of the GGUF was read and hashed"
BY_BOTH = "of some parts S3 compared a full-object SHA-256, of the others every byte was read and hashed"


class FileStore(Protocol):
    """The S3 calls made here."""

    def get_object(self, *, Bucket: str, Key: str) -> Mapping[str, Any]:
        """Open an object."""

    def head_object(self, *, Bucket: str, Key: str, ChecksumMode: Literal["ENABLED"]) -> Mapping[str, Any]:
        """Return an object's metadata, checksums included."""

    def list_objects_v2(self, *, Bucket: str, Prefix: str) -> Mapping[str, Any]:
        """List up to 1000 objects."""


def prove_files(store: FileStore, bucket: str, prefix: str, pin: Pin) -> str:
    """Compare everything below a prefix with the pin and return what proved the GGUF.

    Raises:
        ArchiveError: It is anything else; the object or both values are named.
        ClientError: S3 does not answer.
    """
    wanted = {file.name for file in pin.files} | {MANIFEST}
    listed = store.list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", [])
    there = {str(each["Key"]).removeprefix(prefix): int(each["Size"]) for each in listed}
    if further := sorted(there.keys() - wanted):
        raise ArchiveError(f"holds a further object {further[0][:100]!r}")
    if absent := sorted(wanted - there.keys()):
        raise ArchiveError(f"does not hold {' and '.join(absent)}")
    for file in pin.files:
        if there[file.name] != file.bytes:
            raise ArchiveError(f"holds a {file.name} with {there[file.name]} bytes, pinned are {file.bytes}")
    check_manifest(_read_manifest(store, bucket, f"{prefix}{MANIFEST}"), pin)
    proofs = {_prove(store, bucket, f"{prefix}{file.name}", file) for file in pin.files}
    return BY_BOTH if len(proofs) > 1 else proofs.pop()


def _prove(store: FileStore, bucket: str, key: str, file: PinnedFile) -> str:
    kept = _kept_sha256(store.head_object(Bucket=bucket, Key=key, ChecksumMode="ENABLED"))
    found = kept or _read_sha256(store.get_object(Bucket=bucket, Key=key)["Body"])
    if found != file.sha256:
        raise ArchiveError(f"holds a {file.name} with sha256 {found}, pinned is sha256 {file.sha256}")
    return BY_CHECKSUM if kept else BY_READING


def _kept_sha256(head: Mapping[str, Any]) -> str | None:
    """Return the digest that S3 computed over the whole object, if it has one: that of parts is one of digests."""
    kept = head.get("ChecksumSHA256")
    if not kept or head.get("ChecksumType") != "FULL_OBJECT" or int(head["ContentLength"]) > MOST_PUT_BYTES:
        return None
    try:
        digest = base64.b64decode(kept, validate=True)
    except ValueError:
        return None
    return digest.hex() if len(digest) == hashlib.sha256().digest_size else None


def _read_manifest(store: FileStore, bucket: str, key: str) -> bytes:
    stored = store.get_object(Bucket=bucket, Key=key)
    if (size := int(stored["ContentLength"])) > MANIFEST_BYTES:
        raise ArchiveError(f"holds {MANIFEST} with {size} bytes, allowed are {MANIFEST_BYTES}")
    body: bytes = stored["Body"].read(MANIFEST_BYTES)
    return body


def _read_sha256(body: Any) -> str:  # noqa: ANN401 - boto3 makes the class
    digest = hashlib.sha256()
    while chunk := body.read(CHUNK_BYTES):
        digest.update(chunk)
    return digest.hexdigest()
