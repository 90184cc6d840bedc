"""Fetch the pinned GGUF, prove that it is the pinned one and whole, and publish its archive as the last act.

Run by the buildspec beside this file. Everything it needs stands in the project's environment, see model_pin.
Ends with 0 when the archive is under its key, with 1 and a report in the bucket when it is not.
"""

import json
import mmap
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import boto3

from archive import archive
from download import Patience, Source, download
from gguf_structure import check_structure
from model_pin import HubFile, ModelPin, PackagingError, read_pin
from publish import Destination, part_bytes, publish
from publish import ObjectStore as ArchiveStore
from sources import HubSource, ObjectReader, ObjectSource

SLACK_BYTES = 64 << 20
MESSAGE_CHARACTERS = 1000


class Store(ObjectReader, ArchiveStore, Protocol):
    """The S3 calls of fetching and publishing."""


def package(pin: ModelPin, source: Source, store: ArchiveStore, folder: Path, patience: Patience) -> str:
    """Fetch, prove and publish one model; return one sentence about it.

    Raises:
        PackagingError: It is not the pinned model, or not whole; nothing was published.
    """
    if (free := shutil.disk_usage(folder).free) < pin.size + SLACK_BYTES:
        raise PackagingError(f"{folder} has {free} bytes free, {pin.size + SLACK_BYTES} are needed.")
    with (folder / "model.gguf").open("w+b") as gguf:
        print(f"Fetching {source} ({pin.size} bytes)", flush=True)  # noqa: T201 - the build's log is its output
        download(source, gguf, pin, patience)
        gguf.flush()
        _check_file(gguf)
        gguf.seek(0)
        metadata = {"gguf-sha256": pin.sha256, "manifest-sha256": pin.manifest_sha256}
        destination = Destination(store, pin.bucket, pin.key, metadata, part_bytes(pin.size))
        written = publish(archive(gguf, pin), destination)
    return f"{destination} {'is published' if written else 'was published before and is left as it is'}."


def _check_file(gguf: BinaryIO) -> None:
    with mmap.mmap(gguf.fileno(), 0, access=mmap.ACCESS_READ) as data:
        check_structure(data)


def source_of(pin: ModelPin, store: ObjectReader) -> Source:
    """Return where the pin says that the model comes from."""
    return HubSource(pin.source) if isinstance(pin.source, HubFile) else ObjectSource(pin.source, store)


class ReportStore(Protocol):
    """The S3 call that writes a report."""

    def put_object(self, *, Bucket: str, Key: str, Body: bytes, ContentType: str) -> Any:  # noqa: ANN401, N803 - S3's own
        """Write an object."""


def report(store: ReportStore, environment: Mapping[str, str], status: str, message: str) -> None:
    """Leave the outcome where the deployment looks for it; an outcome without a place is only printed."""
    print(f"{status}: {message}", flush=True)  # noqa: T201 - the build's log is its output
    bucket, build_id = environment.get("ARTIFACT_BUCKET"), environment.get("CODEBUILD_BUILD_ID")
    if bucket and build_id:
        body = json.dumps({"status": status, "message": message[:MESSAGE_CHARACTERS]}).encode()
        key = f"reports/{build_id.replace(':', '/')}.json"
        store.put_object(Bucket=bucket, Key=key, Body=body, ContentType="application/json")


def main() -> int:
    """Package the model that the environment names."""
    # A stopped build gets SIGTERM; as an exception it takes the parts of an unfinished upload along.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    store = boto3.client("s3")
    try:
        pin = read_pin(os.environ)
        with tempfile.TemporaryDirectory(prefix="model-package-") as folder:
            sentence = package(pin, source_of(pin, store), store, Path(folder), Patience())
    except PackagingError as error:
        report(store, os.environ, "failed", str(error))
        return 1
    except Exception as error:
        report(store, os.environ, "failed", f"{type(error).__name__}: {error}")
        raise
    report(store, os.environ, "succeeded", sentence)
    return 0


if __name__ == "__main__":
    sys.exit(main())
