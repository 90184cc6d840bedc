"""One command, as a person types it at a terminal, from the pins to two endpoints in service on a new account."""

import os
import pty
import subprocess
from collections.abc import Iterator

import pytest

from local_aws.checkout import ROOT
from local_aws.questions import CHAT, DECISION, ask
from local_aws.session import Address, LocalAws

pytestmark = [pytest.mark.local_aws, pytest.mark.slow, pytest.mark.timeout(600)]
PROMPT = b"(y/n)"


@pytest.fixture
def address() -> Iterator[Address]:
    """An embedded AWS, a new account: not even bootstrapped."""
    with LocalAws(name="make") as aws:
        yield aws.address


def _typed(address: Address, *arguments: str) -> tuple[int, str]:
    """Run make at a terminal, where every question is answered with yes, and return its code and what stood there."""
    person, terminal = pty.openpty()
    # What the targets need is installed already; `make` would look at the age of files, and install it again.
    command = ["make", *arguments, "APP=", "OPS="]
    process = subprocess.Popen(
        command, cwd=ROOT, env=address.environment(), stdin=terminal, stdout=terminal, stderr=terminal
    )
    os.close(terminal)
    shown, answered = b"", 0
    while piece := _read(person):
        shown += piece
        for _ in range(shown.count(PROMPT) - answered):
            os.write(person, b"y\n")
        answered = shown.count(PROMPT)
    os.close(person)
    return process.wait(), shown.decode()


def _read(person: int) -> bytes:
    try:
        return os.read(person, 1 << 16)
    except OSError:  # what Linux says when the last process has closed the terminal
        return b""


@pytest.mark.rule(
    "`make deploy` on a new account says what is billed, bootstraps, deploys, and both endpoints are in service",
    tool="make, CDK command line, the operator's commands",
    emulated="CloudFormation, SageMaker, S3, IAM, CodeBuild and Lambda accept the templates and calls",
)
def test_one_command_leads_from_pins_to_endpoints_in_service(address: Address) -> None:
    """The bill comes first, before anything is made; at the end both endpoints are in service and answer."""
    code, shown = _typed(address, "deploy", "ENV=local")

    assert code == 0, shown[-4000:]
    order = ["billed by the hour", "not bootstrapped yet", "bootstrapped.", "semif-local-artifact", PROMPT.decode()]
    places = [shown.find(said) for said in order]
    assert -1 not in places
    assert places == sorted(places)
    assert f"{CHAT}: 1 instance of ml.c6i.large" in shown
    sagemaker = address.client("sagemaker")
    assert {each["EndpointName"]: each["EndpointStatus"] for each in sagemaker.list_endpoints()["Endpoints"]} == {
        CHAT: "InService",
        DECISION: "InService",
    }
    assert ask(address).decision["option_ids"] == ["account_access", "billing", "sales"]
