"""Model archives for tests: right ones, and every way to get one wrong."""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from botocore.exceptions import ClientError
from botocore.response import StreamingBody

GGUF = b"GGUF" + bytes(range(256)) * 40
BUCKET = "semif-artifacts"
KEY = "models/abc/def/model.tar.gz"


def canonical(content: object) -> bytes:
    """JSON as the build writes it."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def pinned_of(gguf: bytes, **changes: object) -> dict[str, object]:
    """What a pin's manifest says of a GGUF, but for some changes."""
    return {"file": "tiny.gguf", "bytes": len(gguf), "sha256": hashlib.sha256(gguf).hexdigest(), **changes}


def sha256_of(pinned: object) -> str:
    """The digest of a pin's manifest."""
    return hashlib.sha256(canonical(pinned)).hexdigest()


def manifest_of(gguf: bytes, **changes: object) -> bytes:
    """The manifest that is served with a GGUF, of a pin that is right but for some changes."""
    return manifest_with(pinned_of(gguf, **changes))


def manifest_with(pinned: object, **changes: object) -> bytes:
    """The manifest that is served, with some pin in it."""
    found = {"architecture": "llama"}
    said = {"schema_version": 2, "manifest": pinned, "manifest_sha256": sha256_of(pinned), "gguf": found}
    return canonical(said | changes)


def member(name: str, content: bytes = b"", **fields: object) -> bytes:
    """One tar member with its padding."""
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), 0o644
    for field, value in fields.items():
        setattr(info, field, value)
    header = info.tobuf(tarfile.GNU_FORMAT)
    return header + content + bytes(-len(content) % 512)


def tar_gz(*members: bytes, end: bytes = bytes(1024)) -> bytes:
    """A gzip tar of raw members."""
    return gzip.compress(b"".join(members) + end, 1, mtime=0)


def model_archive(gguf: bytes = GGUF, manifest: bytes | None = None) -> bytes:
    """The archive as the build publishes it."""
    return tar_gz(member("tiny.gguf", gguf), member("model-manifest.json", manifest or manifest_of(gguf)))


@dataclass
class FakeStore:
    """S3 with at most one object; counts what it was asked."""

    stored: bytes | None = None
    error: Exception | None = None
    calls: int = 0
    length: int | None = None

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: ARG002, N803 - S3's own spelling
        """Return the object, whatever its name."""
        self.calls += 1
        if self.error:
            raise self.error
        if self.stored is None:
            raise ClientError({"Error": {"Code": "NoSuchKey", "Message": "no such key"}}, "GetObject")
        body = StreamingBody(io.BytesIO(self.stored), len(self.stored))
        return {"Body": body, "ContentLength": self.length if self.length is not None else len(self.stored)}

    def head_object(self, **_: str) -> dict[str, Any]:
        """Refuse: nobody asks for the metadata of an archive."""
        raise AssertionError("an archive is read, not looked at")

    def list_objects_v2(self, **_: str) -> dict[str, Any]:
        """Refuse: nobody lists an archive."""
        raise AssertionError("an archive is one object")


def properties(gguf: bytes = GGUF, changes: Mapping[str, object] = MappingProxyType({})) -> dict[str, object]:
    """The properties that pin a GGUF, but for some changes; None takes a property away."""
    given: dict[str, object] = {
        "ServiceToken": "arn:aws:lambda:eu-central-1:111122223333:function:provider",
        "Bucket": BUCKET,
        "Key": KEY,
        "Packaging": "archive",
        "GgufFile": "tiny.gguf",
        "GgufBytes": str(len(gguf)),
        "GgufSha256": hashlib.sha256(gguf).hexdigest(),
        "FurtherParts": "",
        "ManifestSha256": sha256_of(pinned_of(gguf)),
        "HandlerVersion": "1",
    }
    return {name: value for name, value in (given | dict(changes)).items() if value is not None}


def request(kind: str, given: dict[str, object], physical_id: str | None = None) -> dict[str, object]:
    """One request of CloudFormation as the provider framework passes it on."""
    event: dict[str, object] = {
        "RequestType": kind,
        "StackId": "arn:aws:cloudformation:eu-central-1:111122223333:stack/semif-dev-decision/6ddf1e90-" + "0" * 27,
        "RequestId": "a5a9f6b0-8a1d-4f19-9f3b-3d6c9c0f1d11",
        "LogicalResourceId": "VerifiedModelResource5B2F1A7C",
        "ResourceType": "Custom::VerifiedModel",
        "ResponseURL": "https://cloudformation-custom-resource-response.s3.amazonaws.com/x?y",
        "ResourceProperties": given,
    }
    return event | ({"PhysicalResourceId": physical_id} if physical_id is not None else {})


def response_bytes(event: dict[str, object], reason: str) -> int:
    """Bytes of the FAILED response that the provider framework makes of a raised exception's text.

    It adds the log group of the function and its own stack trace of at most ten frames.
    """
    frames = "\n    at async Runtime.someHandlerOfTheFramework (/var/task/node_modules/framework.js:123:45)" * 10
    return len(
        json.dumps(
            {
                "Status": "FAILED",
                "Reason": f"Error: {reason}\n\nLogs: /aws/lambda/{'f' * 64}\n{frames}",
                "StackId": event["StackId"],
                "RequestId": event["RequestId"],
                "PhysicalResourceId": event.get("PhysicalResourceId", "AWSCDK::CustomResourceProviderFramework::X"),
                "LogicalResourceId": event["LogicalResourceId"],
                "Data": event.get("Data"),
            }
        ).encode()
    )
