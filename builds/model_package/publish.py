"""Write an object to S3 as a stream, once: nothing is under its key before it is whole, and nothing else after."""

import base64
import hashlib
from collections.abc import Callable, Iterable
from itertools import chain
from typing import BinaryIO

from botocore.exceptions import ClientError

from model_pin import PackagingError
from object_store import Destination
from uploads import cut, upload_in_parts

MOST_PUT_BYTES = 5_000_000_000  # S3 takes 5 GB in one call, whatever a GB is


class BeingWrittenError(PackagingError):
    """Somebody else writes the same key at this moment; S3 does not say who will have been first."""


def publish(chunks: Iterable[bytes], destination: Destination) -> bool:
    """Write the object unless its key is taken; return whether it was written.

    An error, also one that `chunks` raises, leaves nothing: no object and no parts.

    Raises:
        BeingWrittenError: Somebody else is writing the same key right now.
        ClientError: S3 refuses for another reason.
    """
    parts = cut(chunks, destination.part_bytes)
    first = next(parts, b"")
    second = next(parts, None)
    if second is None:
        return put(first, hashlib.sha256(first).hexdigest(), destination)
    return _unless_taken(destination, lambda: upload_in_parts(chain((first, second), parts), destination))


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
