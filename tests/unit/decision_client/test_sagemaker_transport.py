"""An endpoint asked by its name, with boto3 itself against a server on loopback."""

import json
import logging
from pathlib import Path

import pytest

from decision_client.errors import (
    DecisionError,
    EndpointBusyError,
    EndpointNotFoundError,
    InvalidRequestError,
    NotAllowedError,
)
from decision_client.sagemaker_transport import SageMakerTransport, runtime_client
from tests.unit.decision_client.listening import Answer, cut_off, hangs_up, listening, says
from tests.unit.decision_client.sagemaker_service import CANARY, account_of_nobody, error, model_error, sent
from tests.unit.decision_client.scripted import answered, refused


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An account that exists nowhere, and no configuration of the machine."""
    return account_of_nobody(monkeypatch, tmp_path)


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
