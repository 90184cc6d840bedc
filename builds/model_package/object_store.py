# ruff: noqa: N803 - the keywords of the client's calls are S3's own
"""Where a model is published: the S3 calls, spelled out so that a fake can stand in for the client, and one place."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal, Protocol

CHECKSUM: Literal["CRC32"] = "CRC32"
"""Of a part."""
PART_BYTES = 16 << 20


class ObjectStore(Protocol):
    """The S3 calls made here."""

    def put_object(
        self,
        *,
        Bucket: str,
        Key: str,
        Body: bytes | BinaryIO,
        IfNoneMatch: str,
        Metadata: Mapping[str, str],
        ChecksumAlgorithm: Literal["SHA256"],
        ChecksumSHA256: str,
    ) -> Mapping[str, Any]:
        """Write an object in one piece."""

    def create_multipart_upload(
        self, *, Bucket: str, Key: str, ChecksumAlgorithm: Literal["CRC32"], Metadata: Mapping[str, str]
    ) -> Mapping[str, Any]:
        """Begin an upload in parts."""

    def upload_part(
        self,
        *,
        Bucket: str,
        Key: str,
        UploadId: str,
        PartNumber: int,
        Body: bytes,
        ChecksumAlgorithm: Literal["CRC32"],
    ) -> Mapping[str, Any]:
        """Upload one part."""

    def complete_multipart_upload(
        self,
        *,
        Bucket: str,
        Key: str,
        UploadId: str,
        MultipartUpload: Any,  # noqa: ANN401 - the stubs make every key of it optional, which no own type matches
        IfNoneMatch: str,
    ) -> Mapping[str, Any]:
        """Make the object of its parts."""

    def abort_multipart_upload(self, *, Bucket: str, Key: str, UploadId: str) -> Mapping[str, Any]:
        """Forget the parts."""


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
