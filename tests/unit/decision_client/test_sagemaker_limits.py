"""What the way through SageMaker takes, waits for and asks with."""

from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ParamValidationError

from decision_client import sagemaker_transport
from decision_client.errors import (
    InvalidRequestError,
    NoAnswerError,
    NotAllowedError,
    NotConnectedError,
)
from decision_client.sagemaker_transport import SageMakerTransport, _failure, runtime_client
from decision_client.transport import READ_SECONDS
from tests.unit.decision_client.listening import listening, says, stays_silent
from tests.unit.decision_client.sagemaker_service import CANARY, account_of_nobody, sent
from tests.unit.decision_client.scripted import answered


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An account that exists nowhere, and no configuration of the machine."""
    return account_of_nobody(monkeypatch, tmp_path)


def test_client_waits_as_long_as_the_service_may_take() -> None:
    """Socket timeouts are 5 and 70 s, and its own retries are off."""
    config = vars(runtime_client("eu-central-1").meta.config)["_user_provided_options"]

    assert (config["connect_timeout"], config["read_timeout"]) == (5, READ_SECONDS) == (5, 70)
    assert config["retries"]["total_max_attempts"] == 1


def test_client_with_retries_is_refused() -> None:
    """It would send requests that nobody counts; one without is taken."""
    config = Config(retries={"total_max_attempts": 2})
    with pytest.raises(ValueError, match="retries"):
        SageMakerTransport("there", client=boto3.client("sagemaker-runtime", "eu-central-1", config=config))
    with pytest.raises(ValueError, match="retries"):
        SageMakerTransport("there", client=boto3.client("sagemaker-runtime", "eu-central-1"))
    SageMakerTransport("there", client=runtime_client("eu-central-1"))


def test_caller_without_credentials_is_not_allowed(account: pytest.MonkeyPatch) -> None:
    """There is nothing to sign with, and nothing is sent."""
    account.delenv("AWS_ACCESS_KEY_ID")
    account.delenv("AWS_SECRET_ACCESS_KEY")

    count, raised = sent(account, says(200, answered().body))

    assert (count, type(raised), raised and raised.attempts) == (0, NotAllowedError, 0)


def test_session_gives_credentials_and_region(account: pytest.MonkeyPatch) -> None:
    """What an application has assumed a role with is what is signed with, for every attempt's timeout."""
    with listening(says(200, b"{}")) as service:
        account.setenv("AWS_ENDPOINT_URL", service.url)
        session = boto3.Session("AKIDOFTHEROLE", "secret", region_name="eu-west-3")
        transport = SageMakerTransport("there", session=session)
        for seconds in (70, 5):
            transport.send(b"{}", seconds)

    scopes = [each.headers["Authorization"] for each in service.received]
    assert len(scopes) == 2
    assert all("AKIDOFTHEROLE/" in scope and "/eu-west-3/" in scope for scope in scopes)


def test_service_that_cannot_be_reached_is_not_connected(account: pytest.MonkeyPatch) -> None:
    """Nobody listens at the address."""
    account.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")

    with pytest.raises(NotConnectedError):
        SageMakerTransport("there", region="eu-central-1").send(b"{}", 5)


@pytest.mark.parametrize(
    ("left", "seconds"), [(70, 70), (61, 70), (60.5, 61), (60, 60), (10.01, 11), (1, 1), (0.01, 1)]
)
def test_attempt_is_given_what_is_left_in_whole_seconds(
    account: pytest.MonkeyPatch, left: float, seconds: float
) -> None:
    """Rounded up, so that an answer is not left before its time; from 61 s on the service has answered by itself."""
    made: list[float] = []
    make = sagemaker_transport.runtime_client

    def client(region: str | None, *, read_seconds: float, session: boto3.Session | None) -> Any:
        made.append(read_seconds)
        return make(region, read_seconds=read_seconds, session=session)

    account.setattr(sagemaker_transport, "runtime_client", client)
    with listening(says(200, b"{}")) as service:
        account.setenv("AWS_ENDPOINT_URL", service.url)
        transport = SageMakerTransport("there", region="eu-central-1")
        for _ in range(2):
            transport.send(b"{}", left)

    assert made == ([70] if seconds == 70 else [70, seconds])
    assert len(service.received) == 2


def test_body_at_the_limit_of_the_service_is_sent(account: pytest.MonkeyPatch) -> None:
    """The service takes so much, and no more."""
    with listening(says(200, b"{}")) as service:
        account.setenv("AWS_ENDPOINT_URL", service.url)
        SageMakerTransport("there", region="eu-central-1").send(b" " * 6_291_456, 30)

    assert len(service.received[0].body) == 6_291_456


def test_body_beyond_the_limit_of_the_service_is_not_sent() -> None:
    """It is refused with both sizes before a connection is made."""
    with pytest.raises(InvalidRequestError, match="6291457 bytes; at most 6291456") as caught:
        SageMakerTransport("there", region="eu-central-1").send(b" " * 6_291_457, 5)
    assert caught.value.attempts == 0


@pytest.mark.parametrize("name", ["", "-a", "a-", "a/b", "a" * 64, "a\n"])
def test_name_that_is_none_is_refused(name: str) -> None:
    """It would be a part of the service's URL."""
    with pytest.raises(ValueError, match=r"^endpoint_name: "):
        SageMakerTransport(name, region="eu-central-1")


def test_request_that_the_sdk_does_not_send_is_an_invalid_one() -> None:
    """Whatever else is wrong with it, asking again would not help, and the SDK's own words may quote it."""
    failure = _failure(ParamValidationError(report=CANARY))

    assert (type(failure), failure.attempts) == (InvalidRequestError, 0)
    assert CANARY not in str(failure)


def test_attempt_ends_when_its_time_is_over(account: pytest.MonkeyPatch) -> None:
    """A silent service is left after what remains of the deadline, in whole seconds."""
    with listening(stays_silent) as service:
        account.setenv("AWS_ENDPOINT_URL", service.url)
        with pytest.raises(NoAnswerError):
            SageMakerTransport("there", region="eu-central-1").send(b"{}", 0.2)
