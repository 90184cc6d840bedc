"""Prove that a published model is the pinned GGUF and its manifest, and nothing else, as an archive or as files.

`on_event` belongs to the custom resource behind VerifiedModel. It reads what it must once, as a stream, and writes
nothing.
"""

import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import boto3

from archive_walk import ArchiveError
from lifecycle import Answer, RefusedError, answer, text_properties
from model_archive import Contents, check_contents, most_archive_bytes, read_archive
from model_files import FileStore, prove_files
from pinned_model import PROPERTIES, Pin, pin_of
from propagation import until_allowed

READ = "every byte of the archive was read and hashed"


def verify(event: Mapping[str, object], store: Callable[[], FileStore], sleep: Callable[[float], None]) -> Answer:
    """Verify the model that the event's properties name.

    Raises:
        RefusedError: A property is malformed, or the model is not what they say.
    """
    given = text_properties(event, PROPERTIES)
    pin, bucket, key = pin_of(given), given["Bucket"], given["Key"]
    url, first = f"s3://{bucket}/{key}", pin.files[0]
    if given["Packaging"] == "uncompressed" and not key.endswith(f"/{first.name}"):
        raise RefusedError(f"Key: {key} is not that of a file {first.name}")
    try:
        client = store()
        if given["Packaging"] == "archive":
            stored = until_allowed(lambda: client.get_object(Bucket=bucket, Key=key), sleep)
            contents = _contents(stored, pin)
            check_contents(contents, pin)
            proven = {"ArchiveSha256": contents.archive_sha256, "ArchiveBytes": str(contents.archive_bytes)}
            proof = READ
        else:
            url, prefix = url.removesuffix(first.name), key.removesuffix(first.name)
            proven, proof = {}, until_allowed(lambda: prove_files(client, bucket, prefix, pin), sleep)
    except ArchiveError as error:
        raise RefusedError(f"{url} {error}.") from error
    except Exception as error:
        raise RefusedError(f"{url} cannot be read: {error}") from error
    told = {"ModelDataUrl": url, "GgufSha256": first.sha256, "ManifestSha256": pin.manifest_sha256, "Proof": proof}
    return {"Data": told | proven}


def _contents(stored: Mapping[str, Any], pin: Pin) -> Contents:
    size, most = int(stored["ContentLength"]), most_archive_bytes(pin)
    if size > most:
        raise ArchiveError(f"has {size} bytes, at most {most} are allowed")
    contents = read_archive(stored["Body"], pin)
    if contents.archive_bytes != size:
        raise ArchiveError(f"ended after {contents.archive_bytes} of {size} bytes")
    return contents


@cache
def _s3() -> FileStore:
    return boto3.client("s3")


def on_event(
    event: Mapping[str, object],
    _context: object,
    store: Callable[[], FileStore] = _s3,
    sleep: Callable[[float], None] = time.sleep,
) -> Answer:
    """Answer the provider framework; `store` makes the S3 client when one is needed, for Delete never."""
    return answer(event, lambda: verify(event, store, sleep))
