"""An upload in parts, of which nobody sees anything before it is complete."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypedDict

from object_store import CHECKSUM, PART_BYTES, Destination

MOST_PARTS = 9_000  # S3 takes 10,000
UPLOADS = 4


class Part(TypedDict):
    """One uploaded part, as the completion names it."""

    PartNumber: int
    ETag: str
    ChecksumCRC32: str


def part_bytes(total: int) -> int:
    """Return a part size with which `total` bytes, and what gzip may add, make no more parts than S3 takes."""
    return max(PART_BYTES, -(-(total + total // 1000 + PART_BYTES) // MOST_PARTS))


def cut(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Yield the same bytes in parts of one size, the last one smaller."""
    part = bytearray()
    for chunk in chunks:
        part += chunk
        while len(part) >= size:
            yield bytes(part[:size])
            del part[:size]
    if part:
        yield bytes(part)


def upload_in_parts(parts: Iterable[bytes], destination: Destination) -> None:
    """Write the object part by part, unless its key is taken; whatever fails leaves no parts.

    Raises:
        ClientError: S3 refuses, or the key is taken.
    """
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
