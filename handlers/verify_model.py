"""Prove that a published archive holds the pinned GGUF and its manifest, and nothing else.

`on_event` belongs to the custom resource behind VerifiedModel. It reads the archive
once, as a stream, and writes nothing.
"""

import re
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Protocol

import boto3

from archive_walk import ArchiveError
from lifecycle import BUCKET, COUNT, SHA256, Answer, RefusedError, answer, text_properties
from model_archive import Contents, Pin, check_contents, most_archive_bytes, read_archive
from propagation import until_allowed

PROPERTIES = {
    "Bucket": BUCKET,
    "Key": re.compile(r"models/[!-~]{1,1000}"),
    "GgufFile": re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,94}\.gguf"),
    "GgufBytes": COUNT,
    "GgufSha256": SHA256,
    "ManifestSha256": SHA256,
    "HandlerVersion": re.compile(r"[!-~]{1,128}"),
}


class ObjectStore(Protocol):
    """The one S3 call made here."""

    def get_object(self, *, Bucket: str, Key: str) -> Mapping[str, Any]:  # noqa: N803 - S3's own spelling
        """Open an object."""


def verify(event: Mapping[str, object], store: Callable[[], ObjectStore], sleep: Callable[[float], None]) -> Answer:
    """Verify the archive that the event's properties name.

    Raises:
        RefusedError: A property is malformed, or the archive is not what they say.
    """
    given = text_properties(event, PROPERTIES)
    pin = Pin(given["GgufFile"], int(given["GgufBytes"]), given["GgufSha256"].lower(), given["ManifestSha256"].lower())
    url = f"s3://{given['Bucket']}/{given['Key']}"
    try:
        client = store()
        stored = until_allowed(lambda: client.get_object(Bucket=given["Bucket"], Key=given["Key"]), sleep)
        contents = _contents(stored, pin)
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


def _contents(stored: Mapping[str, Any], pin: Pin) -> Contents:
    size, most = int(stored["ContentLength"]), most_archive_bytes(pin)
    if size > most:
        raise ArchiveError(f"has {size} bytes, at most {most} are allowed")
    contents = read_archive(stored["Body"], pin)
    if contents.archive_bytes != size:
        raise ArchiveError(f"ended after {contents.archive_bytes} of {size} bytes")
    return contents


@cache
def _s3() -> ObjectStore:
    return boto3.client("s3")


def on_event(
    event: Mapping[str, object],
    _context: object,
    store: Callable[[], ObjectStore] = _s3,
    sleep: Callable[[float], None] = time.sleep,
) -> Answer:
    """Answer the provider framework; `store` makes the S3 client when one is needed, for Delete never."""
    return answer(event, lambda: verify(event, store, sleep))
