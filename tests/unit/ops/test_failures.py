from typing import Any

from ops.deployment.failures import STACKS, failures
from tests.unit.ops.fake_stacks import FakeStacks

CHAT = "semif-dev-chat"


def _event(name: str, status: str, reason: str = "") -> dict[str, str]:
    return {
        "LogicalResourceId": name,
        "PhysicalResourceId": CHAT,
        "ResourceStatus": status,
        "ResourceStatusReason": reason,
    }


def test_reasons_of_the_last_operation_are_told_first_things_first() -> None:
    """What was only cancelled, and what failed in an earlier operation, is left out."""
    events = [
        _event(CHAT, "UPDATE_ROLLBACK_COMPLETE"),
        _event(CHAT, "UPDATE_ROLLBACK_IN_PROGRESS"),
        _event("Other", "UPDATE_FAILED", "Resource update cancelled"),
        _event("Later", "UPDATE_FAILED", "two Logs: /aws/lambda/f at invokeUserFunction (/var/task/framework.js:2:6)"),
        _event("First", "CREATE_FAILED", "one\nline"),
        _event(CHAT, "UPDATE_IN_PROGRESS"),
        _event("Earlier", "CREATE_FAILED", "long ago"),
    ]
    stacks: Any = FakeStacks({CHAT: {}}, events)

    lines = failures(stacks, "dev")

    at = lines.index(f"{CHAT}: UPDATE_ROLLBACK_COMPLETE")
    assert lines[at + 1 : at + 3] == ["  First: one line", "  Later: two Logs: /aws/lambda/f"]
    assert len(lines) == len(STACKS) + 2
    assert "semif-dev-build: is not there" in lines
