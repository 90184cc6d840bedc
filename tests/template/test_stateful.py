"""Resources that hold something, by logical id: moving one means losing it, so each stands in a reviewed list."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.template.synthesis import ENVIRONMENTS, STACKS, all_templates, template

LIST = Path(__file__).with_name("stateful.toml")
# What holds data, a name that others use, or a history. An endpoint holds its name: moved, it is deleted first.
STATEFUL = {
    "AWS::CloudWatch::Dashboard",
    "AWS::DynamoDB::Table",
    "AWS::ECR::Repository",
    "AWS::KMS::Alias",
    "AWS::KMS::Key",
    "AWS::Logs::LogGroup",
    "AWS::S3::Bucket",
    "AWS::SNS::Topic",
    "AWS::SQS::Queue",
    "AWS::SageMaker::Endpoint",
}
# What may be replaced at any time: it is made from its properties alone.
REPLACEABLE = {
    "AWS::ApplicationAutoScaling::ScalableTarget",
    "AWS::ApplicationAutoScaling::ScalingPolicy",
    "AWS::CloudWatch::Alarm",
    "AWS::CodeBuild::Project",
    "AWS::IAM::ManagedPolicy",
    "AWS::IAM::Policy",
    "AWS::IAM::Role",
    "AWS::Lambda::Function",
    "AWS::Logs::MetricFilter",
    "AWS::S3::BucketPolicy",
    "AWS::SNS::Subscription",
    "AWS::SNS::TopicPolicy",
    "AWS::SageMaker::EndpointConfig",
    "AWS::SageMaker::Model",
    "AWS::StepFunctions::StateMachine",
}


def reviewed() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Return types by environment, stack and logical id, as reviewed."""
    return tomllib.loads(LIST.read_text("utf-8"))


def found(environment: str, stack: str) -> dict[str, str]:
    """Return the types of a template's stateful resources by logical id."""
    resources = template(environment, stack).resources
    return {name: each["Type"] for name, each in sorted(resources.items()) if each["Type"] in STATEFUL}


@pytest.mark.rule("No resource that holds something changes its logical id unnoticed", tool="CDK", emulated="")
@pytest.mark.parametrize(("environment", "stack"), [(one, other) for one in ENVIRONMENTS for other in STACKS])
def test_stateful_resources_are_the_reviewed_ones(environment: str, stack: str) -> None:
    """One that moves or vanishes fails here until stateful.toml says so; so does one that nobody has listed."""
    known = reviewed().get(environment, {}).get(stack, {})
    there = found(environment, stack)

    gone = [
        f"{name} ({kind}) is gone: a deployment deletes or abandons it"
        for name, kind in known.items()
        if there.get(name) != kind
    ]
    new = [f'{name} = "{kind}" is new: add it' for name, kind in there.items() if known.get(name) != kind]
    assert not gone + new, f"[{environment}.{stack}] of {LIST.name}:\n" + "\n".join(gone + new)


def test_every_listed_environment_and_stack_exists() -> None:
    """What is no longer deployed leaves no entry behind."""
    assert sorted(reviewed()) == sorted(ENVIRONMENTS)
    assert {stack for stacks in reviewed().values() for stack in stacks} <= set(STACKS)


def test_every_type_is_known_to_hold_something_or_not() -> None:
    """A new type of resource is put on one of the two lists by somebody who knows."""
    types = {each["Type"] for _, _, content in all_templates() for each in content.resources.values()}

    unknown = {kind for kind in types if not kind.startswith("Custom::")} - STATEFUL - REPLACEABLE

    assert not unknown
