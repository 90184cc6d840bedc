"""A key in KMS, against boto3's own client with answers of ours: what is sent fits the service's model."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError
from botocore.stub import Stubber

from decision_client.audit.keyed_hash import KeyUseError, Mac
from decision_client.audit.kms_key import KmsKey

ARN = "arn:aws:kms:eu-central-1:111122223333:key/k"
DIGEST, VALUE = bytes(32), bytes(range(32))
SENT = {"MacAlgorithm": "HMAC_SHA_256", "Message": DIGEST}


@pytest.fixture
def kms() -> Any:
    """A client that reaches nobody."""
    return boto3.client("kms", region_name="eu-central-1", aws_access_key_id="a", aws_secret_access_key="s")


@pytest.fixture
def service(kms: Any) -> Iterator[Stubber]:
    """What answers in the service's place."""
    with Stubber(kms) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


def test_hash_names_the_key_behind_an_alias(kms: Any, service: Stubber) -> None:
    """The alias may point elsewhere when the hash is checked."""
    answer = {"KeyId": ARN, "Mac": VALUE, "MacAlgorithm": "HMAC_SHA_256"}
    service.add_response("generate_mac", answer, {"KeyId": "alias/audit", **SENT})

    assert KmsKey("alias/audit", kms).mac(DIGEST) == Mac(key_id=ARN, value=VALUE.hex())


def test_hash_is_checked_by_the_key_that_made_it(kms: Any, service: Stubber) -> None:
    """Which takes the permission to verify, and not the one to make hashes."""
    made = Mac(key_id=ARN, value=VALUE.hex())
    sent = {"KeyId": ARN, "Mac": VALUE, **SENT}
    service.add_response("verify_mac", {"KeyId": ARN, "MacValid": True}, sent)
    service.add_client_error("verify_mac", "KMSInvalidMacException", expected_params=sent)

    assert KmsKey("alias/audit", kms).verifies(DIGEST, made)
    assert not KmsKey("alias/audit", kms).verifies(DIGEST, made)


@pytest.mark.parametrize("code", ["AccessDeniedException", "DisabledException", "KMSInvalidStateException"])
def test_key_that_may_not_be_used_is_said_by_the_services_code(kms: Any, service: Stubber, code: str) -> None:
    """Not by its message."""
    service.add_client_error("generate_mac", code, "CANARY")
    service.add_client_error("verify_mac", code, "CANARY")

    with pytest.raises(KeyUseError) as made:
        KmsKey("alias/audit", kms).mac(DIGEST)
    with pytest.raises(KeyUseError) as checked:
        KmsKey("alias/audit", kms).verifies(DIGEST, Mac(key_id=ARN, value=VALUE.hex()))

    assert str(made.value) == f"alias/audit: GenerateMac: {code}"
    assert str(checked.value) == f"{ARN}: VerifyMac: {code}"


def test_service_that_is_not_reached_is_a_key_that_cannot_be_used(kms: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the SDK says."""

    def unreached(**_parameters: Any) -> None:
        raise EndpointConnectionError(endpoint_url="https://kms")

    monkeypatch.setattr(kms, "generate_mac", unreached)
    with pytest.raises(KeyUseError, match="alias/audit: GenerateMac: EndpointConnectionError"):
        KmsKey("alias/audit", kms).mac(DIGEST)
