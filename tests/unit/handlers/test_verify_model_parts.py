"""Of a split GGUF every part is proven, as a member of an archive or as a file."""

import base64
import hashlib
import io
from collections.abc import Mapping
from typing import Any

import pytest
from botocore.response import StreamingBody

from lifecycle import RefusedError
from model_files import BY_BOTH, BY_CHECKSUM, BY_READING
from tests.unit.handlers.archives import (
    BUCKET,
    FakeStore,
    manifest_with,
    member,
    properties,
    request,
    sha256_of,
    tar_gz,
)
from verify_model import on_event

FIRST, SECOND, THIRD = NAMES = [f"tiny-{number:05}-of-00003.gguf" for number in (1, 2, 3)]
PARTS = {name: b"GGUF" + name.encode() * 50 for name in NAMES}
PREFIX = "models/abc/def/uncompressed/model/"


def pinned_file(name: str) -> dict[str, object]:
    """What a pin says of one file."""
    return {"file": name, "bytes": len(PARTS[name]), "sha256": hashlib.sha256(PARTS[name]).hexdigest()}


PINNED = {**pinned_file(FIRST), "parts": [pinned_file(SECOND), pinned_file(THIRD)]}
MANIFEST = manifest_with(PINNED)


def pinned(**changes: object) -> dict[str, object]:
    """The properties that pin the set."""
    further = ",".join(f"{part['bytes']}:{part['sha256']}" for part in (pinned_file(SECOND), pinned_file(THIRD)))
    given = {"GgufFile": FIRST, "FurtherParts": further, "ManifestSha256": sha256_of(PINNED)}
    return properties(PARTS[FIRST], given | changes)


def packed(files: Mapping[str, bytes], manifest: bytes = MANIFEST) -> bytes:
    """An archive of files."""
    return tar_gz(*(member(name, body) for name, body in files.items()), member("model-manifest.json", manifest))


def verified(archive: bytes, **changes: object) -> dict[str, Any]:
    """Verify an archive and return the answer's data."""
    data = on_event(request("Create", pinned(**changes)), None, lambda: FakeStore(archive))["Data"]
    assert isinstance(data, dict)
    return data


def refusal(archive: bytes, **changes: object) -> str:
    """Return why an archive is refused."""
    with pytest.raises(RefusedError) as refused:
        verified(archive, **changes)
    return str(refused.value)


def test_a_complete_set_is_accepted_in_any_order() -> None:
    """The answer names the first file's digest; the manifest's says which the others are."""
    first, *_ = PARTS.values()

    assert verified(packed(PARTS))["GgufSha256"] == hashlib.sha256(first).hexdigest()
    assert verified(packed(dict(reversed(PARTS.items()))))["ManifestSha256"] == sha256_of(PINNED)


@pytest.mark.rule("every part of a split model is verified at deployment", tool="the handler, driven directly")
@pytest.mark.parametrize("name", NAMES)
def test_a_part_that_is_wrong_or_absent_is_refused_by_name(name: str) -> None:
    """Whichever it is; of a digest both values are named."""
    other = b"GGUF" + PARTS[name][4:][::-1]

    sentence = refusal(packed(PARTS | {name: other}))

    assert f"holds a {name} with sha256 {hashlib.sha256(other).hexdigest()}" in sentence
    assert str(pinned_file(name)["sha256"]) in sentence
    absent = {kept: body for kept, body in PARTS.items() if kept != name}
    assert f"does not hold {name}" in refusal(packed(absent))


def test_a_part_too_many_is_refused() -> None:
    """Nothing is served that is not pinned."""
    assert "further member 'tiny-00004-of-00003.gguf'" in refusal(packed(PARTS | {"tiny-00004-of-00003.gguf": b"x"}))


def test_a_manifest_of_other_parts_is_refused() -> None:
    """It must name the same parts as the properties, in the same order."""
    swapped = {**PINNED, "parts": [pinned_file(THIRD), pinned_file(SECOND)]}

    assert "whose parts is" in refusal(packed(PARTS, manifest_with(swapped)), ManifestSha256=sha256_of(swapped))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"FurtherParts": f"5:{'a' * 64}"}, "is one of 3 files, given are 2"),
        ({"FurtherParts": ""}, "is one of 3 files, given are 1"),
        ({"FurtherParts": f"5:{'a' * 64},"}, "FurtherParts: .* does not match"),
        ({"FurtherParts": f"0:{'a' * 64},5:{'b' * 64}"}, "does not match"),
        ({"FurtherParts": None}, "FurtherParts: required property is missing"),
        ({"GgufFile": SECOND}, "is one of 1 files, given are 3"),
        ({"GgufFile": "tiny.gguf"}, "is one of 1 files, given are 3"),
    ],
)
def test_properties_that_are_no_set_are_refused(changes: dict[str, object], sentence: str) -> None:
    """Before anything is read."""
    with pytest.raises(RefusedError, match=sentence):
        on_event(request("Create", pinned(**changes)), None, lambda: pytest.fail("S3 was asked"))


class FakeFiles:
    """S3 with the files of one prefix, of which some have a checksum of their own."""

    def __init__(self, files: Mapping[str, bytes], kept: tuple[str, ...]) -> None:
        self._files, self._kept = files, kept
        self.read: list[str] = []

    def list_objects_v2(self, *, Bucket: str, Prefix: str) -> dict[str, Any]:  # noqa: N803 - S3's own spelling
        """List the prefix."""
        assert (Bucket, Prefix) == (BUCKET, PREFIX)
        return {"Contents": [{"Key": f"{PREFIX}{name}", "Size": len(body)} for name, body in self._files.items()]}

    def head_object(self, *, Bucket: str, Key: str, ChecksumMode: str) -> dict[str, Any]:  # noqa: ARG002, N803 - as above
        """Return metadata."""
        name = Key.removeprefix(PREFIX)
        digest = base64.b64encode(hashlib.sha256(self._files[name]).digest()).decode()
        kept = {"ChecksumSHA256": digest, "ChecksumType": "FULL_OBJECT"} if name in self._kept else {}
        return {"ContentLength": len(self._files[name])} | kept

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: ARG002, N803 - as above
        """Send one file."""
        name = Key.removeprefix(PREFIX)
        self.read.append(name)
        return {
            "Body": StreamingBody(io.BytesIO(self._files[name]), len(self._files[name])),
            "ContentLength": len(self._files[name]),
        }


def proof(store: FakeFiles) -> str:
    """Verify files and return what proved them."""
    event = request("Create", pinned(Packaging="uncompressed", Key=f"{PREFIX}{FIRST}"))
    data = on_event(event, None, lambda: store, lambda _: None)["Data"]
    assert isinstance(data, dict)
    assert data["ModelDataUrl"] == f"s3://{BUCKET}/{PREFIX}"
    return str(data["Proof"])


@pytest.mark.parametrize(
    ("kept", "proven_by", "read"),
    [
        ((*NAMES,), BY_CHECKSUM, []),
        ((), BY_READING, NAMES),
        ((FIRST, THIRD), BY_BOTH, [SECOND]),
    ],
)
def test_files_are_proven_one_by_one(kept: tuple[str, ...], proven_by: str, read: list[str]) -> None:
    """Of each S3's checksum counts, or it is read; the answer says which of both it was."""
    store = FakeFiles(PARTS | {"model-manifest.json": MANIFEST}, kept)

    assert proof(store) == proven_by
    assert store.read == ["model-manifest.json", *read]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kept", [(), (*NAMES,)])
def test_a_file_that_is_wrong_or_absent_is_refused_by_name(name: str, kept: tuple[str, ...]) -> None:
    """Whoever computed its digest."""
    right = PARTS | {"model-manifest.json": MANIFEST}
    other = b"GGUF" + PARTS[name][4:][::-1]

    with pytest.raises(RefusedError, match=f"holds a {name} with sha256 {hashlib.sha256(other).hexdigest()}"):
        proof(FakeFiles(right | {name: other}, kept))
    with pytest.raises(RefusedError, match=f"does not hold {name}"):
        proof(FakeFiles({kept_name: body for kept_name, body in right.items() if kept_name != name}, kept))
