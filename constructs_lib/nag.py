"""The cdk-nag gate, and the only place where one of its findings is acknowledged, each with its reason."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import custom_resources as cr
from cdk_nag import AwsSolutionsChecks
from constructs import Construct

# Actions that IAM defines without a resource type, so that only * can be their resource.
# https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
ACTIONS_WITHOUT_RESOURCE: Mapping[str, str] = {
    "ecr:GetAuthorizationToken": "A registry token is not issued for a repository; what it pulls or pushes is bounded.",
    "ec2:DescribeDhcpOptions": "EC2 describes without naming what; nothing is changed by it.",
    "ec2:DescribeNetworkInterfaces": "EC2 describes without naming what; nothing is changed by it.",
    "ec2:DescribeSecurityGroups": "EC2 describes without naming what; nothing is changed by it.",
    "ec2:DescribeSubnets": "EC2 describes without naming what; nothing is changed by it.",
    "ec2:DescribeVpcs": "EC2 describes without naming what; nothing is changed by it.",
    "sagemaker:CallWithBearerToken": "A token is not issued for an endpoint; the one it may invoke is named beside it.",
}

# Resources whose names no template knows, so that their ARNs end in a star.
UnnamedResources = Literal["build reports", "published models", "network interfaces", "versions"]
UNNAMED_RESOURCES: Mapping[UnnamedResources, str] = {
    "build reports": "A build's report is named after the build, whose id is not known before it runs.",
    "published models": "Models are removed long after they were pinned, by keys that no template knows any more.",
    "network interfaces": "An interface gets its id when SageMaker makes it; the subnets it may lie in are named.",
    "versions": "The framework allows itself every version of the functions that it calls; there is only one of each.",
}
# SF1 and SF2 ask for a log of every event and for tracing of a state machine.
_POLLER_FINDINGS = ("AwsSolutions-SF1", "AwsSolutions-SF2")
_POLLER_REASON = "The framework's poller lives for one deployment, and each function it calls has a log."


def attach(app: cdk.App) -> None:
    """Let every synthesis of the app fail on a finding of the AwsSolutions rules that is not acknowledged."""
    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app))


def acknowledge_action_without_resource(construct: Construct, action: str) -> None:
    """Acknowledge * as the resource of an action that has no other.

    Raises:
        KeyError: The action is not one of ACTIONS_WITHOUT_RESOURCE.
    """
    _acknowledge(construct, "AwsSolutions-IAM5[Resource::*]", f"{action}: {ACTIONS_WITHOUT_RESOURCE[action]}")


def acknowledge_resources(construct: Construct, arn: str, kind: UnnamedResources) -> None:
    """Acknowledge a resource that is all of a kind.

    Args:
        construct: Whose policy holds the resource.
        arn: The resource, ending in *.
        kind: What all of these are.
    """
    finding = _flat(cdk.Stack.of(construct).resolve(arn))
    _acknowledge(construct, f"AwsSolutions-IAM5[Resource::{finding}]", UNNAMED_RESOURCES[kind])


def acknowledge_provider_framework(owner: Construct, provider: cr.Provider) -> None:
    """Acknowledge what the provider framework of custom resources makes without leaving a choice.

    Args:
        owner: The construct that holds the handlers, the framework's roles and the framework.
        provider: The framework.
    """
    below = owner.node.find_all()
    for function in below:
        if not isinstance(function, lambda_.Function) or function.node.id == "framework-onEvent":
            continue  # that one is called by CloudFormation
        acknowledge_resources(owner, f"{function.function_arn}:*", "versions")
    kinds = {each.cfn_resource_type for each in below if isinstance(each, cdk.CfnResource)}
    if "AWS::StepFunctions::StateMachine" in kinds:
        for finding in _POLLER_FINDINGS:
            _acknowledge(provider, finding, _POLLER_REASON)


def _acknowledge(construct: Construct, finding: str, reason: str) -> None:
    cdk.Validations.of(construct).acknowledge(cdk.Acknowledgment(id=finding, reason=reason))


def _flat(value: Any) -> str:  # noqa: ANN401 - any CloudFormation value
    """Write an ARN as cdk-nag does in the ids of its findings."""
    match value:
        case {"Fn::Join": [str(delimiter), Sequence() as parts]}:
            return delimiter.join(_flat(part) for part in parts)
        case {"Fn::GetAtt": [resource, attribute]}:
            return f"<{resource}.{attribute}>"
        case {"Fn::ImportValue": name}:
            return _flat(name)
        case {"Ref": name}:
            return f"<{name}>"
        case str():
            return value
    return json.dumps(value, separators=(",", ":"))
