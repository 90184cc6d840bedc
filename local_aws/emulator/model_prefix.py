"""Model data that is files under a prefix, fetched the way SageMaker does it for a container."""

from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import boto3

from local_aws.emulator.model_archive import ArchiveRefusedError, is_visible

BLOCK_BYTES: Final = 1 << 20


def fetch(session: boto3.Session, prefix_url: str, folder: Path) -> None:
    """Stream every object under an S3 prefix into a folder, with the session's permissions.

    Raises:
        ArchiveRefusedError: no prefix with a slash at its end, nothing there, or a key hidden or outside the folder.
        botocore.exceptions.ClientError: the session may not list or read it.
    """
    address = urlsplit(prefix_url)
    if address.scheme != "s3" or not address.path.endswith("/"):
        raise ArchiveRefusedError(f"model data {prefix_url!r} is not an s3:// prefix that ends in a slash")
    bucket, prefix, s3 = address.netloc, address.path.lstrip("/"), session.client("s3")
    found = s3.list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", [])
    if not found:
        raise ArchiveRefusedError(f"there is nothing under {prefix_url}")
    folder.mkdir(parents=True)
    for each in found:
        name = each["Key"].removeprefix(prefix)
        if not is_visible(name):
            raise ArchiveRefusedError(f"object {name!r} of {prefix_url} is not a plain, visible file")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as target:
            for block in s3.get_object(Bucket=bucket, Key=each["Key"])["Body"].iter_chunks(BLOCK_BYTES):
                target.write(block)
        # SageMaker mounts the folder read-only.
        path.chmod(0o444)
