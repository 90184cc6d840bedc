"""One stack updated with a template of its own, by plain CloudFormation calls."""

import json
import time
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from local_aws.session import Address

POLL_SECONDS = 0.2


def update(address: Address, stack: str, template: Mapping[str, Any], bucket: str) -> tuple[str, str]:
    """Update a deployed stack and return its status at the end and the first reason of a failure."""
    cloudformation, key = address.client("cloudformation"), f"edited/{uuid4()}.json"
    address.client("s3").put_object(Bucket=bucket, Key=key, Body=json.dumps(template).encode())
    parameters = [{"ParameterKey": name, "UsePreviousValue": True} for name in template.get("Parameters", {})]
    seen = {event["EventId"] for event in _events(cloudformation, stack)}
    cloudformation.update_stack(
        StackName=stack,
        TemplateURL=f"{address.emulator.url}/{bucket}/{key}",
        Parameters=parameters,
        Capabilities=["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"],
    )
    while (status := stack_status(cloudformation, stack)).endswith("_IN_PROGRESS"):
        time.sleep(POLL_SECONDS)
    new = [event for event in _events(cloudformation, stack) if event["EventId"] not in seen]
    failures = [event for event in new if event["ResourceStatus"].endswith("_FAILED")]
    failures.sort(key=lambda event: event["Timestamp"])
    return status, failures[0].get("ResourceStatusReason", "") if failures else ""


def stack_status(cloudformation: Any, stack: str) -> str:
    """Return a stack's status."""
    (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    text: str = found["StackStatus"]
    return text


def _events(cloudformation: Any, stack: str) -> list[Any]:
    pages = cloudformation.get_paginator("describe_stack_events").paginate(StackName=stack)
    return [event for page in pages for event in page["StackEvents"]]
