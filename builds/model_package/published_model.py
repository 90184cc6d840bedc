"""Publish a proven GGUF: as one archive, or as the files themselves, and beside either a record of it.

The key that deployments look for is written last, so it is there only when everything is.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import BinaryIO

import model_manifest
from archive import Fetched, archive, content
from gguf_description import Summary
from model_pin import MODEL_MANIFEST, ModelPin, PinnedFile
from object_store import Destination, ObjectStore
from publish import MOST_PUT_BYTES, publish, put
from uploads import part_bytes


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
            builder: Who publishes; only the record beside the model names it.
        """
        self._pin, self._summary, self._builder = pin, summary, builder
        self._manifest = model_manifest.inside(pin, summary)
        metadata = {"gguf-sha256": pin.files[0].sha256, "manifest-sha256": pin.manifest_sha256}
        self.destination = Destination(store, pin.bucket, pin.key, metadata, part_bytes(pin.size))

    def publish(self, files: Fetched) -> bool:
        """Write everything that is not there; return whether the key was written, or was there before.

        Raises:
            PackagingError: What was read is not what the pin names; nothing is under the key.
            BeingWrittenError: Somebody else is writing the same key right now; worth another attempt.
            ClientError: S3 refuses for another reason.
        """
        if self._pin.packaging == "archive":
            return publish(self._archive(files), self.destination)
        (first, its_file), *further = files
        for pinned, file in further:
            self._put_file(pinned, file)
        digest = hashlib.sha256(self._manifest).hexdigest()
        put(self._manifest, digest, self._at(f"{self._pin.folder}{MODEL_MANIFEST}"))
        self._record(*(replace(pinned, name=f"{self._pin.folder}{pinned.name}") for pinned, _ in files))
        return self._put_file(first, its_file)

    def _archive(self, files: Fetched) -> Iterator[bytes]:
        """Pass the archive on and leave the record after its last chunk, before the object is completed."""
        digest, size = hashlib.sha256(), 0
        for chunk in archive(files, self._manifest):
            digest.update(chunk)
            size += len(chunk)
            yield chunk
        self._record(PinnedFile(self._pin.key, size, digest.hexdigest()))

    def _put_file(self, pinned: PinnedFile, file: BinaryIO) -> bool:
        destination = self._at(f"{self._pin.folder}{pinned.name}")
        if pinned.size > MOST_PUT_BYTES:
            return publish(content(pinned, file), replace(destination, part_bytes=part_bytes(pinned.size)))
        file.seek(0)
        return put(file, pinned.sha256, destination)

    def _record(self, *published: PinnedFile) -> None:
        body = model_manifest.beside(self._pin, self._summary, published, self._builder)
        put(body, hashlib.sha256(body).hexdigest(), self._at(self._pin.side_copy_key))

    def _at(self, key: str) -> Destination:
        return replace(self.destination, key=key)
