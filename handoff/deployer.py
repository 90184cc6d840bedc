"""Pure: the template of the IAM policies of whoever runs the script."""

from typing import Any

from config.assets_bucket import PARAMETER
from handoff.assembly import Assembly
from handoff.deployer_actions import of_references, of_types, own_calls
from handoff.statements import Statement, merged, parts


def deployer_template(assembly: Assembly, *, environment: str, assets_bucket: str) -> dict[str, Any]:
    """Return a template of managed policies that together allow what the script and CloudFormation do.

    Args:
        assembly: What is deployed.
        environment: The environment's name.
        assets_bucket: The parameter's default.

    Raises:
        ValueError: A template has a type of resource that the table of actions does not know.
    """
    resources = {
        f"{stack.name}/{name}": resource
        for stack in assembly.stacks
        for name, resource in stack.content["Resources"].items()
    }
    statements = [
        *own_calls([stack.name for stack in assembly.stacks]),
        *merged(of_types(resources, f"semif-{environment}")),
        *of_references(resources, f"semif-{environment}"),
    ]
    policies = {
        f"Deployer{number}": {
            "Type": "AWS::IAM::ManagedPolicy",
            "Properties": {
                "Description": f"Deploys the stacks of semif-{environment}, part {number}",
                "PolicyDocument": {"Version": "2012-10-17", "Statement": [_substituted(each) for each in part]},
            },
        }
        for number, part in enumerate(parts(statements), start=1)
    }
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"Managed policies of whoever deploys semif-{environment}; attach all of them",
        "Parameters": {
            PARAMETER: {"Type": "String", "Default": assets_bucket, "Description": "Bucket of the archives"}
        },
        "Resources": policies,
        "Outputs": {f"{name}Arn": {"Value": {"Ref": name}} for name in policies},
    }


def _substituted(statement: Statement) -> Statement:
    resources = [{"Fn::Sub": each} if "${" in each else each for each in statement["Resource"]]
    return statement | {"Resource": resources}
