"""An endpoint asked by its name, with boto3 itself against a server on loopback."""

import json
import logging
from pathlib import Path

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ParamValidationError

from decision_client.asking import ask
from decision_client.errors import (
    DecisionError,
    EndpointBusyError,
    EndpointNotFoundError,
    InvalidRequestError,
    NoAnswerError,
    NotAllowedError,
    NotConnectedError,
)
from decision_client.request import Asked
from decision_client.sagemaker_transport import SageMakerTransport, _failure, runtime_client
from decision_client.transport import READ_SECONDS
from tests.unit.decision_client.listening import Answer, cut_off, hangs_up, listening, says, stays_silent
from tests.unit.decision_client.samples import DEFINITION
from tests.unit.decision_client.scripted import FakeTime, answered, refused

CANARY = "canary-7f3a"
ASKED = (Asked("d1", f"the state {CANARY}", DEFINITION),)


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An account that exists nowhere, and no configuration of the machine."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)  # it keeps the credentials that it found first
    return monkeypatch


def error(status: int, code: str, message: str = "", **members: object) -> Answer:
    """An error as the service words it."""
    body = json.dumps({"Message": message, **members}).encode()
    return says(status, body, x_amzn_ErrorType=code, Content_Type="application/json")


def model_error(status: int | None, original: str) -> Answer:
    """An error of the container as it comes through the service, which quotes it in a sentence of its own."""
    members = {"OriginalStatusCode": status, "OriginalMessage": original, "LogStreamArn": "arn:x"}
    return error(
        424, "ModelError", f'Received server error ({status}) from primary with message "{original}"', **members
    )


def sent(account: pytest.MonkeyPatch, *answers: Answer, deadline: float = 70) -> tuple[int, DecisionError | None]:
    """Ask the sample decision; how many requests arrived, and what was raised."""
    time = FakeTime()
    with listening(*answers) as service:
        account.setenv("AWS_ENDPOINT_URL", service.url)
        transport = SageMakerTransport("there", region="eu-central-1")
        raised = None
        try:
            ask(transport, ASKED, deadline_seconds=deadline, clock=time.clock, sleep=time.sleep, random=lambda: 0.0)
        except DecisionError as caught:
            raised = caught
    assert all(each.path == "/endpoints/there/invocations" for each in service.received)
    assert all(json.loads(each.body)["decision"]["state"] == ASKED[0].state for each in service.received)
    return len(service.received), raised


BUSY = refused(503, retry_after_seconds=2).body.decode()


@pytest.mark.parametrize(
    "first",
    [
        model_error(503, BUSY),
        model_error(429, "no JSON"),
        model_error(500, "{}"),
        model_error(504, "{}"),
        model_error(0, "Your invocation timed out"),
        model_error(None, ""),
        error(400, "ThrottlingException"),
        error(429, "ModelNotReadyException"),
        error(503, "ServiceUnavailable"),
        error(500, "InternalFailure"),
        error(530, "InternalDependencyException"),
        hangs_up,
        cut_off,
    ],
)
def test_what_passes_is_sent_again(account: pytest.MonkeyPatch, first: Answer) -> None:
    """Refusals and failures of the container and of the service itself; the SDK sends each once."""
    assert sent(account, first, says(200, answered().body)) == (2, None)


@pytest.mark.parametrize(
    ("answer", "kind", "code"),
    [
        (model_error(400, refused(400, "too_many").body.decode()), InvalidRequestError, "too_many"),
        (model_error(413, "<html>"), InvalidRequestError, ""),
        (
            error(400, "ValidationError", "Endpoint there of account 1 not found."),
            EndpointNotFoundError,
            "ValidationError",
        ),
        (error(400, "ValidationError", "Body is too long"), InvalidRequestError, "ValidationError"),
        (error(403, "AccessDeniedException", "not authorized"), NotAllowedError, "AccessDeniedException"),
        (error(403, "ExpiredTokenException"), NotAllowedError, "ExpiredTokenException"),
    ],
)
def test_what_stays_is_sent_once(
    account: pytest.MonkeyPatch, answer: Answer, kind: type[DecisionError], code: str
) -> None:
    """It is raised as what it is, with the word for it."""
    count, raised = sent(account, answer)

    assert (count, type(raised)) == (1, kind)
    assert raised is not None
    assert raised.code == code


def test_wait_of_the_body_arrives_through_the_service(account: pytest.MonkeyPatch) -> None:
    """Headers do not come through, so the wait is read from the original message."""
    _, raised = sent(account, model_error(503, BUSY), deadline=1)

    assert isinstance(raised, EndpointBusyError)
    assert (raised.retry_after_seconds, raised.status, raised.code) == (2, 503, "busy")


@pytest.mark.rule(
    "Nothing of a request is logged or raised by the client, with every logger at DEBUG",
    tool="boto3, urllib3",
    emulated="the service's answers",
)
@pytest.mark.parametrize("answer", [model_error(400, f'{{"code": "empty", "error": "{CANARY}"}}'), hangs_up])
def test_nothing_of_a_request_is_logged_or_raised(
    account: pytest.MonkeyPatch, answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    """With every logger at its most talkative the state is in no record, and in no exception or what it hangs on."""
    with caplog.at_level(logging.DEBUG):
        _, raised = sent(account, answer, model_error(503, CANARY), says(200, json.dumps({"result": CANARY}).encode()))

    assert raised is not None
    assert (raised.__context__, raised.__cause__) == (None, None)
    assert "botocore.hooks" in {record.name for record in caplog.records}
    assert CANARY not in caplog.text + repr(raised) + str(vars(raised))
    assert not any(CANARY in str(vars(record)) for record in caplog.records)


def test_other_calls_are_logged_as_before(account: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Only the calls of this client are kept out of the log."""
    with listening(error(403, "AccessDenied")) as service, caplog.at_level(logging.DEBUG):
        account.setenv("AWS_ENDPOINT_URL", service.url)
        SageMakerTransport("there", region="eu-central-1").send(b"{}", 5)
        quiet = caplog.text
        with pytest.raises(Exception, match="AccessDenied"):
            runtime_client("eu-central-1").invoke_endpoint(EndpointName="x", Body=b"{}")

    assert "Making request" not in quiet
    assert "Making request" in caplog.text


def test_attempt_ends_when_its_time_is_over(account: pytest.MonkeyPatch) -> None:
    """A silent service is left after what remains of the deadline, in whole seconds."""
    with listening(stays_silent) as service:
        account.setenv("AWS_ENDPOINT_URL", service.url)
        with pytest.raises(NoAnswerError):
            SageMakerTransport("there", region="eu-central-1").send(b"{}", 0.2)


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
