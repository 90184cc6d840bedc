"""The custom resource's lifecycle: every request is answered, ids stay, Delete touches nothing."""

import hashlib
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

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


@pytest.mark.parametrize("kind", ["create", "", "Rollback"])
def test_an_unknown_request_is_refused(kind: str) -> None:
    """A request type outside the protocol is never taken for success."""
    with pytest.raises(RefusedError, match="RequestType"):
        on_event(request(kind, properties()), None, unreachable)


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
