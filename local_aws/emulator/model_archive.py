"""The model archive, fetched and unpacked the way SageMaker does it for a container."""

import gzip
import tarfile
from pathlib import Path
from typing import IO, Final
from urllib.parse import urlsplit

import boto3

BLOCK_BYTES: Final = 1 << 20


class ArchiveRefusedError(RuntimeError):
    """The archive is not a gzip tar of plain, visible files."""


def unpack(session: boto3.Session, model_data_url: str, folder: Path) -> None:
    """Stream the archive at an S3 address into a folder, with the session's permissions.

    Raises:
        ArchiveRefusedError: not gzip, not tar, or a member that is a link, a device, hidden or outside the folder.
        botocore.exceptions.ClientError: the session may not read it, or it is not there.
    """
    address = urlsplit(model_data_url)
    if address.scheme != "s3":
        raise ArchiveRefusedError(f"model data {model_data_url!r} is not an s3:// address")
    body = session.client("s3").get_object(Bucket=address.netloc, Key=address.path.lstrip("/"))["Body"]
    folder.mkdir(parents=True)
    try:
        with (
            gzip.GzipFile(fileobj=body) as plain,
            tarfile.open(fileobj=plain, mode="r|", bufsize=BLOCK_BYTES) as archive,
        ):
            for member in archive:
                source = archive.extractfile(member) if _is_plain(member) else None
                if source is None:
                    raise ArchiveRefusedError(f"member {member.name!r} is not a plain, visible file")
                _write(source, folder / member.name)
    except (gzip.BadGzipFile, tarfile.TarError, EOFError) as error:
        raise ArchiveRefusedError(f"{model_data_url} is not a gzip tar: {error}") from error


def is_visible(name: str) -> bool:
    """Tell whether a name stays in its folder, and no part of it is hidden."""
    parts = Path(name).parts
    return bool(parts) and not name.endswith("/") and not any(part.startswith((".", "/")) for part in parts)


def _is_plain(member: tarfile.TarInfo) -> bool:
    return member.isfile() and is_visible(member.name)


def _write(source: IO[bytes], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as target:
        while block := source.read(BLOCK_BYTES):
            target.write(block)
    # SageMaker mounts the folder read-only.
    path.chmod(0o444)
