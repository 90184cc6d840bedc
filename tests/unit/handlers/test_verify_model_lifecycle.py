"""The custom resource's lifecycle: every request is answered, ids stay, Delete touches nothing."""

import hashlib
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from hypothesis import given
from hypothesis import strategies as st

from lifecycle import RefusedError
from tests.unit.handlers.archives import (
    BUCKET,
    GGUF,
    KEY,
    FakeStore,
    manifest_of,
    member,
    model_archive,
    pinned_of,
    properties,
    request,
    response_bytes,
    sha256_of,
    tar_gz,
)
from verify_model import on_event

OTHER = b"GGUF" + b"another model" * 99


def unreachable() -> FakeStore:
    """Stand for a client that must not be made."""
    raise AssertionError("Delete asked for a client")


def test_create_answers_with_the_model_and_its_digests() -> None:
    """A right archive is answered with its URL and digests, all strings, and a stable id."""
    archive = model_archive()

    answered = on_event(request("Create", properties()), None, lambda: FakeStore(archive))

    assert answered == {
        "PhysicalResourceId": "VerifiedModelResource5B2F1A7C",
        "Data": {
            "ModelDataUrl": f"s3://{BUCKET}/{KEY}",
            "GgufSha256": hashlib.sha256(GGUF).hexdigest(),
            "ManifestSha256": sha256_of(pinned_of(GGUF)),
            "Proof": "every byte of the archive was read and hashed",
            "ArchiveSha256": hashlib.sha256(archive).hexdigest(),
            "ArchiveBytes": str(len(archive)),
        },
    }


def test_update_with_the_same_inputs_keeps_the_id_and_answers_the_same() -> None:
    """An update that changes nothing is as good as the create, under the id it came with."""
    created = on_event(request("Create", properties()), None, lambda: FakeStore(model_archive()))
    physical_id = str(created["PhysicalResourceId"])

    updated = on_event(request("Update", properties(), physical_id), None, lambda: FakeStore(model_archive()))

    assert updated == created


def test_update_to_another_model_keeps_the_id() -> None:
    """A new pin whose archive holds it is accepted under the old id."""
    event = request("Update", properties(OTHER), "the id of old")

    assert on_event(event, None, lambda: FakeStore(model_archive(OTHER)))["PhysicalResourceId"] == "the id of old"


def test_update_to_a_model_that_is_not_there_is_refused() -> None:
    """An update is verified like a create."""
    event = request("Update", properties(OTHER), "the id of old")

    with pytest.raises(RefusedError, match="pinned is sha256"):
        on_event(event, None, lambda: FakeStore(model_archive()))


def test_digests_in_upper_case_are_the_same_digests() -> None:
    """Hex has no case; the answer is in lower case."""
    given_properties = properties()
    for name in ("GgufSha256", "ManifestSha256"):
        given_properties[name] = str(given_properties[name]).upper()

    answered = on_event(request("Create", given_properties), None, lambda: FakeStore(model_archive()))

    assert answered == on_event(request("Create", properties()), None, lambda: FakeStore(model_archive()))


@pytest.mark.rule(
    "deleting a verification succeeds for any id and touches nothing", tool="the handler, driven directly"
)
@pytest.mark.parametrize(
    "physical_id",
    [
        "VerifiedModelResource5B2F1A7C",
        "made-up",
        "2026/11/29/[$LATEST]0123456789abcdef",
        "",
        "AWSCDK::X::CREATE_FAILED",
    ],
)
def test_delete_succeeds_for_any_id_without_a_client(physical_id: str) -> None:
    """Delete comes with ids that were never issued, and must neither fail nor do anything."""
    event = request("Delete", {"anything": ["at", "all"]}, physical_id)

    assert on_event(event, None, unreachable) == {"PhysicalResourceId": physical_id}


@pytest.mark.parametrize(
    ("store", "sentence"),
    [
        (FakeStore(None), "NoSuchKey"),
        (FakeStore(error=EndpointConnectionError(endpoint_url="https://s3")), "Could not connect"),
        (FakeStore(error=RuntimeError("é" * 9000)), "cannot be read"),
    ],
)
def test_a_store_that_fails_fails_the_create(store: FakeStore, sentence: str) -> None:
    """No answer of S3 leads to silence or success."""
    with pytest.raises(RefusedError, match=sentence) as refused:
        on_event(request("Create", properties()), None, lambda: store)

    assert f"s3://{BUCKET}/{KEY}" in str(refused.value)


def test_an_archive_that_is_denied_at_first_is_asked_for_again() -> None:
    """A new pin's deployment widens the role's policy seconds before it verifies."""
    denied = [ClientError({"Error": {"Code": "AccessDenied", "Message": "not yet"}}, "GetObject")] * 2
    slept: list[float] = []

    class Late(FakeStore):
        def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803 - S3's own spelling
            if denied:
                raise denied.pop()
            return super().get_object(Bucket=Bucket, Key=Key)

    answered = on_event(request("Create", properties()), None, lambda: Late(model_archive()), slept.append)

    assert "Data" in answered
    assert slept == [1, 2]


def test_an_archive_that_stays_denied_is_refused() -> None:
    """Patience ends after some seconds, with S3's own word."""
    slept: list[float] = []
    store = FakeStore(error=ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "GetObject"))

    with pytest.raises(RefusedError, match=r"cannot be read: .*AccessDenied"):
        on_event(request("Create", properties()), None, lambda: store, slept.append)

    assert sum(slept) == 15


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"GgufBytes": "0"}, "GgufBytes: '0' does not match"),
        ({"GgufBytes": "12a"}, "GgufBytes"),
        ({"GgufBytes": 12}, "GgufBytes: 12 does not match"),
        ({"GgufBytes": "true"}, "GgufBytes"),
        ({"GgufSha256": "a" * 63}, "GgufSha256"),
        ({"GgufSha256": "g" * 64}, "GgufSha256"),
        ({"ManifestSha256": "a" * 65}, "ManifestSha256"),
        ({"FurtherParts": f"5:{'a' * 64}"}, "FurtherParts: tiny.gguf is one of 1 files, given are 2"),
        ({"GgufFile": "tiny-00001-of-00002.gguf"}, "FurtherParts: .* is one of 2 files, given are 1"),
        ({"GgufFile": "../tiny.gguf"}, "GgufFile"),
        ({"GgufFile": ".tiny.gguf"}, "GgufFile"),
        ({"GgufFile": "tiny.bin"}, "GgufFile"),
        ({"GgufFile": "tiny.gguf\n"}, "GgufFile"),
        ({"Key": "reports/x.json"}, "Key"),
        ({"Packaging": "zip"}, "Packaging"),
        ({"Packaging": "uncompressed"}, "Key: .* is not that of a file tiny.gguf"),
        ({"Bucket": "Has Space"}, "Bucket"),
        ({"Bucket": None}, "Bucket: required property is missing"),
        ({"GgufSha": "a" * 64}, "GgufSha: not a property of this resource"),
    ],
)
def test_a_malformed_property_is_refused_by_name_before_anything_is_read(
    changes: dict[str, object], sentence: str
) -> None:
    """The sentence names the property, and S3 is not asked."""
    store = FakeStore(model_archive())

    with pytest.raises(RefusedError, match=sentence):
        on_event(request("Create", properties(changes=changes)), None, lambda: store)

    assert store.calls == 0


@pytest.mark.parametrize("kind", ["create", "", "Rollback"])
def test_an_unknown_request_is_refused(kind: str) -> None:
    """A request type outside the protocol is never taken for success."""
    with pytest.raises(RefusedError, match="RequestType"):
        on_event(request(kind, properties()), None, unreachable)


def test_properties_that_are_no_object_are_refused() -> None:
    """Even an event that is not CloudFormation's gets its sentence."""
    with pytest.raises(RefusedError, match="ResourceProperties"):
        on_event(request("Create", properties()) | {"ResourceProperties": "x"}, None, unreachable)


@pytest.mark.rule(
    "a refusal fits CloudFormation's 4096 bytes however much is wrong",
    tool="the handler, driven directly",
    emulated="what the provider framework adds to it",
)
@pytest.mark.parametrize(
    "archive",
    [
        tar_gz(*(member(f"{number:03}-{'x' * 90}", b"?") for number in range(200))),
        tar_gz(member("\N{CLOUD}" * 30, b"?")),
        tar_gz(member("tiny.gguf", GGUF), member("model-manifest.json", manifest_of(GGUF, sha256="\N{CLOUD}" * 9000))),
    ],
)
def test_a_refusal_fits_the_response(archive: bytes) -> None:
    """Two hundred wrong members, or names and values made of non-ASCII, still make one short response."""
    event = request("Create", properties())

    with pytest.raises(RefusedError) as refused:
        on_event(event, None, lambda: FakeStore(archive))

    assert response_bytes(event, str(refused.value)) <= 4096


@given(st.dictionaries(st.text(max_size=50), st.text(max_size=4000) | st.integers() | st.lists(st.text()), max_size=9))
def test_any_properties_are_refused_with_a_sentence_that_fits(given_properties: dict[str, object]) -> None:
    """Whatever the properties are, the refusal is ours and short."""
    event = request("Create", given_properties)

    with pytest.raises(RefusedError) as refused:
        on_event(event, None, unreachable)

    assert response_bytes(event, str(refused.value)) <= 4096
