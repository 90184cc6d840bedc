"""Write an object to S3 as a stream, once: nothing is under its key before it is whole, and nothing else after."""

import base64
import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, TypedDict

from botocore.exceptions import ClientError

from model_pin import PackagingError
from object_store import CHECKSUM, ObjectStore

PART_BYTES = 16 << 20
MOST_PARTS = 9_000  # S3 takes 10,000
MOST_PUT_BYTES = 5_000_000_000  # S3 takes 5 GB in one call, whatever a GB is
UPLOADS = 4


class BeingWrittenError(PackagingError):
    """Somebody else writes the same key at this moment; S3 does not say who will have been first."""


class Part(TypedDict):
    """One uploaded part, as the completion names it."""

    PartNumber: int
    ETag: str
    ChecksumCRC32: str


@dataclass(frozen=True)
class Destination:
    """Where an object goes.

    Attributes:
        metadata: What is stored with it, ASCII.
        part_bytes: Size of all parts but the last; S3 demands 5 MiB.
    """

    store: ObjectStore
    bucket: str
    key: str
    metadata: Mapping[str, str]
    part_bytes: int = PART_BYTES

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.key}"


def part_bytes(total: int) -> int:
    """Return a part size with which `total` bytes, and what gzip may add, make no more parts than S3 takes."""
    return max(PART_BYTES, -(-(total + total // 1000 + PART_BYTES) // MOST_PARTS))


def publish(chunks: Iterable[bytes], destination: Destination) -> bool:
    """Write the object unless its key is taken; return whether it was written.

    An error, also one that `chunks` raises, leaves nothing: no object and no parts.

    Raises:
        BeingWrittenError: Somebody else is writing the same key right now.
        ClientError: S3 refuses for another reason.
    """
    parts = _parts(chunks, destination.part_bytes)
    first = next(parts, b"")
    second = next(parts, None)
    if second is None:
        return put(first, hashlib.sha256(first).hexdigest(), destination)
    return _unless_taken(destination, lambda: _upload_in_parts(chain((first, second), parts), destination))


def put(body: bytes | BinaryIO, sha256: str, destination: Destination) -> bool:
    """Write the object in one call, at most MOST_PUT_BYTES, unless its key is taken; return whether it was written.

    S3 compares the digest with what arrived and keeps it as the whole object's own.

    Raises:
        BeingWrittenError: Somebody else is writing the same key right now.
        ClientError: S3 refuses for another reason, such as another digest.
    """
    return _unless_taken(
        destination,
        lambda: destination.store.put_object(
            Bucket=destination.bucket,
            Key=destination.key,
            Body=body,
            IfNoneMatch="*",
            Metadata=destination.metadata,
            ChecksumAlgorithm="SHA256",
            ChecksumSHA256=base64.b64encode(bytes.fromhex(sha256)).decode(),
        ),
    )


def _unless_taken(destination: Destination, write: Callable[[], object]) -> bool:
    try:
        write()
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code == "PreconditionFailed":
            return False
        if code == "ConditionalRequestConflict":
            raise BeingWrittenError(f"{destination} is being written by another build at this moment.") from error
        raise
    return True


def _parts(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    part = bytearray()
    for chunk in chunks:
        part += chunk
        while len(part) >= size:
            yield bytes(part[:size])
            del part[:size]
    if part:
        yield bytes(part)


def _upload_in_parts(parts: Iterable[bytes], destination: Destination) -> None:
    # boto3's own upload_fileobj has no If-None-Match for the completion, hence by hand.
    store, bucket, key = destination.store, destination.bucket, destination.key
    upload_id: str = store.create_multipart_upload(
        Bucket=bucket, Key=key, ChecksumAlgorithm=CHECKSUM, Metadata=destination.metadata
    )["UploadId"]

    def upload(number: int, part: bytes) -> Part:
        sent = store.upload_part(
            Bucket=bucket,
            Key=key,
            UploadId=upload_id,
            PartNumber=number,
            Body=part,
            ChecksumAlgorithm=CHECKSUM,
        )
        return Part(PartNumber=number, ETag=sent["ETag"], ChecksumCRC32=sent["ChecksumCRC32"])

    try:
        store.complete_multipart_upload(
            Bucket=bucket,
            Key=key,
            UploadId=upload_id,
            MultipartUpload={"Parts": list(_in_order(upload, parts))},
            IfNoneMatch="*",
        )
    except BaseException:
        store.abort_multipart_upload(Bucket=bucket, Key=key, UploadId=upload_id)
        raise


def _in_order(upload: Callable[[int, bytes], Part], parts: Iterable[bytes]) -> Iterator[Part]:
    """Upload a few parts at a time, which bounds memory to UPLOADS + 2 parts, and yield the results in order."""
    with ThreadPoolExecutor(UPLOADS) as pool:
        running: deque[Future[Part]] = deque()
        for number, part in enumerate(parts, 1):
            running.append(pool.submit(upload, number, part))
            if len(running) == UPLOADS:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
