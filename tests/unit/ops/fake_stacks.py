"""CloudFormation as the operator's commands see it."""

from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError


class FakeStacks:
    """Stacks with outputs and events, newest event first; `describe` answers with any error given for a name."""

    def __init__(
        self, outputs: dict[str, dict[str, str]], events: list[dict[str, str]] | None = None, error: str = ""
    ) -> None:
        self.outputs, self.events, self.error = outputs, events or [], error

    def describe_stacks(self, *, StackName: str) -> dict[str, Any]:  # noqa: N803 - boto3's spelling
        """Return one stack."""
        if self.error or StackName not in self.outputs:
            said = self.error or f"Stack with id {StackName} does not exist"
            raise ClientError({"Error": {"Code": "ValidationError", "Message": said}}, "DescribeStacks")
        outputs = [{"OutputKey": key, "OutputValue": value} for key, value in self.outputs[StackName].items()]
        return {"Stacks": [{"StackName": StackName, "StackStatus": "UPDATE_ROLLBACK_COMPLETE", "Outputs": outputs}]}

    def get_paginator(self, operation: str) -> "FakeStacks":
        """Return the pages of the events."""
        assert operation == "describe_stack_events"
        return self

    def paginate(self, *, StackName: str) -> Iterator[dict[str, Any]]:  # noqa: N803 - boto3's spelling
        """Yield one page for each event."""
        yield from ({"StackEvents": [event | {"StackId": StackName}]} for event in self.events)
