"""Publish a proven GGUF: as one archive, or as the files themselves, and beside either a record of it.

The key that deployments look for is written last, so it is there only when everything is.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import BinaryIO

from archive import CHUNK_BYTES, archive
from gguf_description import Summary
from model_pin import ModelPin, PackagingError
from publish import MOST_PUT_BYTES, Destination, ObjectStore, part_bytes, publish, put


class PublishedModel:
    """One publication of a pin.

    Attributes:
        destination: The key that is written last.
    """

    def __init__(self, pin: ModelPin, summary: Summary, store: ObjectStore, builder: Mapping[str, str]) -> None:
        """Prepare it.

        Args:
            pin: What is published.
            summary: What the GGUF says of itself.
            store: The bucket's client.
            builder: Who publishes; only the record names it.
        """
        self._pin, self._summary, self._builder = pin, summary, dict(builder)
        metadata = {"gguf-sha256": pin.sha256, "manifest-sha256": pin.manifest_sha256}
        self.destination = Destination(store, pin.bucket, pin.key, metadata, part_bytes(pin.size))

    def publish(self, gguf: BinaryIO) -> bool:
        """Write everything that is not there; return whether the key was written, or was there before.

        Raises:
            PackagingError: What was read is not what the pin names; nothing is under the key.
            BeingWrittenError: Somebody else is writing the same key right now; worth another attempt.
            ClientError: S3 refuses for another reason.
        """
        gguf.seek(0)
        pin = self._pin
        if pin.packaging == "archive":
            return publish(self._recorded(archive(gguf, pin)), self.destination)
        manifest = replace(self.destination, key=pin.manifest_key)
        put(pin.manifest, pin.manifest_sha256, manifest)
        if pin.size > MOST_PUT_BYTES:
            return publish(self._recorded(_unchanged(gguf, pin)), self.destination)
        self._record(pin.size, pin.sha256)
        return put(gguf, pin.sha256, self.destination)

    def _recorded(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Pass the chunks on and leave the record after the last one, before the object is completed."""
        digest, size = hashlib.sha256(), 0
        for chunk in chunks:
            digest.update(chunk)
            size += len(chunk)
            yield chunk
        self._record(size, digest.hexdigest())

    def _record(self, size: int, sha256: str) -> None:
        pin = self._pin
        record = {
            "schema_version": 1,
            "manifest": json.loads(pin.manifest),
            "manifest_sha256": pin.manifest_sha256,
            "gguf": self._summary,
            "published": {"packaging": pin.packaging, "key": pin.key, "bytes": size, "sha256": sha256},
            "builder": self._builder,
        }
        body = json.dumps(record, sort_keys=True, indent=1, ensure_ascii=False).encode()
        put(body, hashlib.sha256(body).hexdigest(), replace(self.destination, key=pin.side_copy_key))


def _unchanged(gguf: BinaryIO, pin: ModelPin) -> Iterator[bytes]:
    digest = hashlib.sha256()
    while chunk := gguf.read(CHUNK_BYTES):
        digest.update(chunk)
        yield chunk
    if digest.hexdigest() != pin.sha256:
        raise PackagingError(
            f"{pin.file} changed on disk: it has sha256 {digest.hexdigest()}, verified was {pin.sha256}."
        )
