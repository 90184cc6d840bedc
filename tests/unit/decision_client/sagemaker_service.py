"""The runtime of SageMaker on loopback: an account that exists nowhere, errors as the service words them."""

import json
from pathlib import Path

import boto3
import pytest

from decision_client.asking import ask
from decision_client.errors import (
    DecisionError,
)
from decision_client.request import Asked
from decision_client.sagemaker_transport import SageMakerTransport
from tests.unit.decision_client.listening import Answer, listening, says
from tests.unit.decision_client.samples import DEFINITION
from tests.unit.decision_client.scripted import FakeTime

CANARY = "canary-7f3a"
ASKED = (Asked("d1", f"the state {CANARY}", DEFINITION),)


def account_of_nobody(monkeypatch: pytest.MonkeyPatch, folder: Path) -> pytest.MonkeyPatch:
    """Give the SDK credentials of nobody, and no configuration of the machine."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(folder / "none"))
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
