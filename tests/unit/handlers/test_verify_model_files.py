"""What a prefix may hold when files are served as they are, and what counts as proof of the GGUF."""

import base64
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import ClientError
from botocore.response import StreamingBody

from lifecycle import RefusedError
from model_files import BY_CHECKSUM, BY_READING, MOST_PUT_BYTES
from tests.unit.handlers.archives import BUCKET, GGUF, manifest_of, pinned_of, properties, request, sha256_of
from verify_model import on_event

PREFIX = "models/abc/def/uncompressed/model/"
RIGHT = {"tiny.gguf": GGUF, "model-manifest.json": manifest_of(GGUF)}
OTHER = GGUF[::-1]


def base64_sha256(content: bytes) -> str:
    """The checksum as S3 writes it."""
    return base64.b64encode(hashlib.sha256(content).digest()).decode()


@dataclass
class FakeFiles:
    """S3 with the files of one prefix; counts which it was asked to send."""

    files: Mapping[str, bytes]
    head: Mapping[str, Any] = field(default_factory=dict)
    denials: int = 0
    read: list[str] = field(default_factory=list)

    def list_objects_v2(self, *, Bucket: str, Prefix: str) -> dict[str, Any]:  # noqa: N803 - S3's own spelling
        """List the prefix."""
        assert (Bucket, Prefix) == (BUCKET, PREFIX)
        if self.denials:
            self.denials -= 1
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": "not yet"}}, "ListObjectsV2")
        return {"Contents": [{"Key": f"{PREFIX}{name}", "Size": len(body)} for name, body in self.files.items()]}

    def head_object(self, *, Bucket: str, Key: str, ChecksumMode: str) -> dict[str, Any]:  # noqa: ARG002, N803 - as above
        """Return the GGUF's metadata."""
        assert ChecksumMode == "ENABLED"
        return {"ContentLength": len(self.files[Key.removeprefix(PREFIX)])} | dict(self.head)

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: ARG002, N803 - as above
        """Send one file."""
        name = Key.removeprefix(PREFIX)
        self.read.append(name)
        body = self.files[name]
        return {"Body": StreamingBody(io.BytesIO(body), len(body)), "ContentLength": len(body)}


def verified(store: FakeFiles) -> Mapping[str, str]:
    """Verify and return the data of the answer."""
    event = request("Create", properties(changes={"Packaging": "uncompressed", "Key": f"{PREFIX}tiny.gguf"}))
    data = on_event(event, None, lambda: store, lambda _: None)["Data"]
    assert isinstance(data, dict)
    return data


def refusal(files: Mapping[str, bytes], **head: object) -> str:
    """Return why files are refused."""
    with pytest.raises(RefusedError) as refused:
        verified(FakeFiles(files, head))
    assert str(refused.value).startswith(f"s3://{BUCKET}/{PREFIX} ")
    return str(refused.value)


@pytest.mark.rule(
    "an S3 checksum proves a GGUF only if it is a SHA-256 of the whole object, and the answer says what the proof was",
    tool="the handler, driven directly",
    emulated="S3's checksum",
)
def test_a_full_object_checksum_is_proof_without_reading_the_gguf() -> None:
    """S3 compared it with what arrived; only the manifest is read."""
    store = FakeFiles(RIGHT, {"ChecksumSHA256": base64_sha256(GGUF), "ChecksumType": "FULL_OBJECT"})

    data = verified(store)

    assert data == {
        "ModelDataUrl": f"s3://{BUCKET}/{PREFIX}",
        "GgufSha256": hashlib.sha256(GGUF).hexdigest(),
        "ManifestSha256": sha256_of(pinned_of(GGUF)),
        "Proof": BY_CHECKSUM,
    }
    assert store.read == ["model-manifest.json"]


@pytest.mark.parametrize(
    "head",
    [
        {},
        {"ChecksumSHA256": base64_sha256(OTHER) + "-2", "ChecksumType": "COMPOSITE"},
        {"ChecksumSHA256": base64_sha256(OTHER), "ChecksumType": "COMPOSITE"},
        {"ChecksumSHA256": base64_sha256(OTHER)},
        {"ChecksumSHA256": base64_sha256(OTHER) + "-2", "ChecksumType": "FULL_OBJECT"},
        {"ChecksumSHA256": "AAAA", "ChecksumType": "FULL_OBJECT"},
        {
            "ChecksumSHA256": base64_sha256(OTHER),
            "ChecksumType": "FULL_OBJECT",
            "ContentLength": MOST_PUT_BYTES + 1,
        },
        {"ChecksumCRC64NVME": "AAAAAAAAAAA=", "ChecksumType": "FULL_OBJECT"},
    ],
)
def test_any_other_checksum_is_none_and_the_gguf_is_read(head: Mapping[str, object]) -> None:
    """Of parts, of more than one put holds, cut, or of another kind: then every byte is hashed here."""
    store = FakeFiles(RIGHT, head)

    assert verified(store)["Proof"] == BY_READING
    assert store.read == ["model-manifest.json", "tiny.gguf"]


@pytest.mark.parametrize("kept", [True, False])
def test_another_gguf_is_refused_with_both_digests(*, kept: bool) -> None:
    """Whether S3 or this handler computed the digest."""
    head = {"ChecksumSHA256": base64_sha256(OTHER), "ChecksumType": "FULL_OBJECT"} if kept else {}

    sentence = refusal(RIGHT | {"tiny.gguf": OTHER}, **head)

    assert hashlib.sha256(OTHER).hexdigest() in sentence
    assert hashlib.sha256(GGUF).hexdigest() in sentence


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (RIGHT | {"other.gguf": GGUF}, "further object 'other.gguf'"),
        (RIGHT | {".hidden": b"x"}, "further object '.hidden'"),
        (RIGHT | {"../tiny.gguf": GGUF}, "further object '../tiny.gguf'"),
        (RIGHT | {"folder/tiny.gguf": GGUF}, "further object 'folder/tiny.gguf'"),
        (RIGHT | {"": b""}, "further object ''"),
        ({"tiny.gguf": GGUF}, "does not hold model-manifest.json"),
        ({"model-manifest.json": manifest_of(GGUF)}, "does not hold tiny.gguf"),
        ({}, "does not hold model-manifest.json and tiny.gguf"),
        (RIGHT | {"tiny.gguf": GGUF + b"x"}, "bytes, pinned are"),
        (RIGHT | {"model-manifest.json": manifest_of(GGUF) + b" "}, "is not the canonical object"),
        (RIGHT | {"model-manifest.json": bytes(65537)}, "allowed are 65536"),
    ],
)
def test_a_prefix_that_is_not_the_two_files_is_refused(files: Mapping[str, bytes], sentence: str) -> None:
    """What lies there is what the container gets, so nothing else may."""
    assert sentence in refusal(files)


def test_a_prefix_that_is_denied_at_first_is_asked_for_again() -> None:
    """A new pin's deployment widens the role's policy seconds before it verifies."""
    assert verified(FakeFiles(RIGHT, denials=2))["Proof"] == BY_READING
