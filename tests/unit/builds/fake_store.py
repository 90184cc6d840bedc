"""An in-memory S3 with conditional writes and uploads in parts, for one bucket."""

import base64
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError
from botocore.response import StreamingBody


def refused(code: str, operation: str) -> ClientError:
    """The error by which S3 refuses."""
    return ClientError({"Error": {"Code": code, "Message": code}}, operation)


@dataclass
class FakeStore:
    """S3 in memory.

    Attributes:
        objects: Content by key.
        metadata: What was stored with each.
        uploads: Parts by upload id, for uploads neither completed nor aborted.
        broken: Operations that fail, with the code they fail with.
        broken_part: Number of the part that fails, if one does.
    """

    objects: dict[str, bytes] = field(default_factory=dict)
    metadata: dict[str, Mapping[str, str]] = field(default_factory=dict)
    uploads: dict[str, dict[int, bytes]] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    broken_part: int | None = None
    calls: list[str] = field(default_factory=list)

    def _call(self, operation: str) -> None:
        self.calls.append(operation)
        if operation in self.broken:
            raise refused(self.broken[operation], operation)

    def _write(self, key: str, content: bytes, call: Mapping[str, Any]) -> None:
        if key.startswith("models/") and call.get("IfNoneMatch") != "*":
            raise refused("AccessDenied", "Put")  # what the bucket's policy says
        if call.get("IfNoneMatch") == "*" and key in self.objects:
            raise refused("PreconditionFailed", "Put")
        self.objects[key] = content

    def put_object(self, **call: Any) -> dict[str, Any]:
        """Write in one piece."""
        self._call("put_object")
        body = call["Body"] if isinstance(call["Body"], bytes) else call["Body"].read()
        if base64.b64encode(hashlib.sha256(body).digest()).decode() != call["ChecksumSHA256"]:
            raise refused("BadDigest", "PutObject")
        self._write(call["Key"], body, call)
        self.metadata[call["Key"]] = call.get("Metadata", {})
        return {}

    def create_multipart_upload(self, **call: Any) -> dict[str, Any]:
        """Begin an upload."""
        self._call("create_multipart_upload")
        upload_id = f"upload-{len(self.calls)}"
        self.uploads[upload_id] = {}
        self.metadata[call["Key"]] = call["Metadata"]
        return {"UploadId": upload_id}

    def upload_part(self, **call: Any) -> dict[str, Any]:
        """Keep a part."""
        self._call("upload_part")
        if call["PartNumber"] == self.broken_part:
            raise refused("InternalError", "UploadPart")
        self.uploads[call["UploadId"]][call["PartNumber"]] = call["Body"]
        digest = hashlib.sha256(call["Body"]).hexdigest()
        return {"ETag": digest, "ChecksumCRC32": digest[:8]}

    def complete_multipart_upload(self, **call: Any) -> dict[str, Any]:
        """Make the object of exactly the parts that the call names, in order."""
        self._call("complete_multipart_upload")
        parts = self.uploads[call["UploadId"]]
        named = [(part["PartNumber"], part["ETag"]) for part in call["MultipartUpload"]["Parts"]]
        assert named == [(number, hashlib.sha256(parts[number]).hexdigest()) for number in sorted(parts)]
        self._write(call["Key"], b"".join(parts[number] for number, _ in named), call)
        del self.uploads[call["UploadId"]]
        return {}

    def abort_multipart_upload(self, **call: Any) -> dict[str, Any]:
        """Forget an upload."""
        self._call("abort_multipart_upload")
        del self.uploads[call["UploadId"]]
        return {}

    def get_object(self, **call: Any) -> dict[str, Any]:
        """Read from some byte on."""
        self._call("get_object")
        if call["Key"] not in self.objects:
            raise refused("NoSuchKey", "GetObject")
        content = self.objects[call["Key"]][int(call["Range"].removeprefix("bytes=").removesuffix("-")) :]
        return {"Body": StreamingBody(io.BytesIO(content), len(content)), "ContentLength": len(content)}
