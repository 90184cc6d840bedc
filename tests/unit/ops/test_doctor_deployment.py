"""What the doctor says of ill stacks and endpoints."""

import pytest

from ops.report import State
from tests.unit.ops.examination import Illness, assert_told, examined
from tests.unit.ops.fake_account import BUCKET, DECISION_DIGEST, KEY_OF_MODEL, FakeAccount

ILLNESSES = {
    "endpoint missing": Illness(
        lambda account: account.endpoints.pop("semif-local-chat"),
        "chat endpoint",
        State.WRONG,
        "Could not find endpoint",
        "destroy semif-local-chat if it is still there, then deploy",
    ),
    "endpoint failed": Illness(
        lambda account: account.endpoints.update({"semif-local-chat": "Failed"}),
        "chat endpoint",
        State.WRONG,
        "Failed: why",
        "docs/operations.md",
    ),
    "endpoint updating": Illness(
        lambda account: account.endpoints.update({"semif-local-decision": "Updating"}),
        "decision endpoint",
        State.WARNING,
        "Updating",
        "wait",
    ),
    "other decision image": Illness(
        lambda account: account.images[DECISION_DIGEST].update(tags=["f" * 40]),
        "decision image",
        State.WRONG,
        f"of content {'f' * 40}, this checkout is",
        "make deploy ENV=local",
    ),
    "other chat image": Illness(
        lambda account: account.image.update(chat="1.dkr.ecr.x.y/llama-cpp@sha256:other"),
        "chat image",
        State.WRONG,
        "runs sha256:other, the file has sha256:",
        "make diff ENV=local",
    ),
    "other model": Illness(
        lambda account: account.model_url.update(decision="s3://elsewhere/model.tar.gz"),
        "decision model",
        State.WRONG,
        f"runs s3://elsewhere/model.tar.gz, the file has s3://{BUCKET}/{KEY_OF_MODEL}",
        "make deploy ENV=local",
    ),
    "nothing deployed": Illness(
        lambda account: account.stacks.clear(),
        "stack semif-local-artifact",
        State.WRONG,
        "is not there",
        "make deploy ENV=local",
    ),
}


@pytest.mark.parametrize("illness", ILLNESSES.values(), ids=ILLNESSES.keys())
def test_what_is_broken_is_named_with_what_to_do(illness: Illness) -> None:
    """Each broken thing has a line of its own with what was found and the next action; the exit code says so too."""
    assert_told(illness)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("UPDATE_ROLLBACK_COMPLETE", State.WARNING),
        ("ROLLBACK_COMPLETE", State.WRONG),
        ("UPDATE_ROLLBACK_FAILED", State.WRONG),
        ("UPDATE_IN_PROGRESS", State.WARNING),
    ],
)
def test_rollback_is_told_with_its_reason(status: str, state: State) -> None:
    """What stands since a rollback is a warning, what stands on nothing is wrong; the first reason is told."""

    def roll_back(account: FakeAccount) -> None:
        account.status["chat"] = status
        account.events = [
            {
                "LogicalResourceId": "Endpoint",
                "ResourceStatus": "UPDATE_FAILED",
                "ResourceStatusReason": "no image",
            }
        ]

    line = examined(roll_back)["stack semif-local-chat"]

    assert line.state is state
    assert status in line.says
    assert status == "UPDATE_IN_PROGRESS" or "Endpoint: no image" in line.says
