"""Why the last operation on a stack failed, from its events."""

import re
from typing import TYPE_CHECKING, Final

from ops.stacks import find

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient
    from types_boto3_cloudformation.type_defs import StackEventTypeDef

STACKS: Final = ("artifact", "build", "monitoring", "chat", "decision")
# What merely stopped because something else had failed.
_CANCELLED: Final = "cancelled"
# The framework of custom resources puts its own stack behind a handler's sentence and the name of its log.
_TRACE: Final = re.compile(r" at \S+ \(")


def failures(cloudformation: "CloudFormationClient", environment: str) -> list[str]:
    """Return a line for the state of each stack of an environment, each followed by why its last operation failed.

    Raises:
        botocore.exceptions.ClientError: The caller may not look.
    """
    lines = []
    for stack in (f"semif-{environment}-{name}" for name in STACKS):
        found = find(cloudformation, stack)
        lines.append(f"{stack}: {found['StackStatus'] if found else 'is not there'}")
        if found:
            lines += [f"  {line}" for line in reasons(cloudformation, stack)]
    return lines


def reasons(cloudformation: "CloudFormationClient", stack: str) -> list[str]:
    """Return what failed in the last operation, first things first."""
    reasons: list[str] = []
    for page in cloudformation.get_paginator("describe_stack_events").paginate(StackName=stack):
        for event in page["StackEvents"]:
            reason = event.get("ResourceStatusReason", "")
            if event.get("ResourceStatus", "").endswith("_FAILED") and _CANCELLED not in reason:
                said = _TRACE.split(" ".join(reason.split()))[0]
                reasons.insert(0, f"{event.get('LogicalResourceId')}: {said}")
            if _begins(event, stack):
                return reasons
    return reasons


def _begins(event: "StackEventTypeDef", stack: str) -> bool:
    """Whether the event is the first of an operation; its rollback belongs to it."""
    of_stack = event.get("PhysicalResourceId") == event.get("StackId") and event.get("LogicalResourceId") == stack
    return of_stack and event.get("ResourceStatus") in {
        "CREATE_IN_PROGRESS",
        "UPDATE_IN_PROGRESS",
        "DELETE_IN_PROGRESS",
    }
