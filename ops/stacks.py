"""The stacks of an environment as CloudFormation knows them."""

from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from ops.refusals import is_missing

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient
    from types_boto3_cloudformation.type_defs import StackTypeDef


def find(cloudformation: "CloudFormationClient", name: str) -> "StackTypeDef | None":
    """Return a stack, or None where there is none of that name.

    Raises:
        botocore.exceptions.ClientError: The stacks cannot be seen.
    """
    try:
        (found,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
    except ClientError as error:
        if is_missing(error):
            return None
        raise
    return found


def outputs(cloudformation: "CloudFormationClient", name: str) -> dict[str, str]:
    """Return what a stack puts out; nothing where it is not there."""
    found = find(cloudformation, name)
    listed = found.get("Outputs", []) if found else []
    return {output.get("OutputKey", ""): output.get("OutputValue", "") for output in listed}


def physical_ids(cloudformation: "CloudFormationClient", name: str, resource_type: str) -> list[str]:
    """Return the ids of a stack's resources of one type; nothing where the stack is not there."""
    ids: list[str] = []
    if find(cloudformation, name):
        for page in cloudformation.get_paginator("list_stack_resources").paginate(StackName=name):
            ids += [
                found["PhysicalResourceId"]
                for found in page["StackResourceSummaries"]
                if found["ResourceType"] == resource_type and found.get("PhysicalResourceId")
            ]
    return ids
