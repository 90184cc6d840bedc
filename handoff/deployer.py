"""Pure: the IAM policies of whoever runs the script, from what the templates contain."""

import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from config.assets_bucket import PARAMETER, PREFIX
from handoff.assembly import Assembly

# IAM counts a managed policy without white space. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
MAX_CHARACTERS = 6144
_TABLE = Path(__file__).with_name("actions.toml")
# As long as what these become in any partition.
_LONGEST = {"AWS::Partition": "aws-us-gov", "AWS::Region": "ap-southeast-1", "AWS::AccountId": "0" * 12}
_SCOPE = "${AWS::Region}:${AWS::AccountId}"

Resources = Mapping[str, Mapping[str, Any]]
Statement = dict[str, Any]


def deployer_template(assembly: Assembly, *, environment: str, assets_bucket: str) -> dict[str, Any]:
    """Return a template of managed policies that together allow what the script and CloudFormation do.

    Args:
        assembly: What is deployed.
        environment: The environment's name.
        assets_bucket: The parameter's default.

    Raises:
        ValueError: A template has a type of resource that the table of actions does not know.
    """
    statements = [
        *_own_calls([stack.name for stack in assembly.stacks]),
        *_merged(_of_types(_resources(assembly), f"semif-{environment}")),
        *_of_references(_resources(assembly), f"semif-{environment}"),
    ]
    policies = {
        f"Deployer{number}": {
            "Type": "AWS::IAM::ManagedPolicy",
            "Properties": {
                "Description": f"Deploys the stacks of semif-{environment}, part {number}",
                "PolicyDocument": {"Version": "2012-10-17", "Statement": [_substituted(each) for each in part]},
            },
        }
        for number, part in enumerate(_parts(statements), start=1)
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


def _resources(assembly: Assembly) -> Resources:
    return {
        f"{stack.name}/{name}": resource
        for stack in assembly.stacks
        for name, resource in stack.content["Resources"].items()
    }


def _own_calls(stacks: Sequence[str]) -> Iterator[Statement]:
    yield _statement(
        [
            *("CreateStack", "DeleteStack", "DescribeStackEvents", "DescribeStacks", "UpdateStack"),
            *("ContinueUpdateRollback", "UpdateTerminationProtection"),
            *("CreateChangeSet", "DeleteChangeSet", "DescribeChangeSet"),
        ],
        [f"arn:${{AWS::Partition}}:cloudformation:{_SCOPE}:stack/{name}/*" for name in stacks],
        service="cloudformation",
    )
    bucket = f"arn:${{AWS::Partition}}:s3:::${{{PARAMETER}}}"
    yield _statement(["GetBucketLocation", "ListBucket"], [bucket], service="s3")
    yield _statement(["GetObject", "PutObject"], [f"{bucket}/{PREFIX}*"], service="s3")


def _of_types(resources: Resources, prefix: str) -> Iterator[Statement]:
    table = tomllib.loads(_TABLE.read_text("utf-8"))
    for kind in sorted({resource["Type"] for resource in resources.values()}):
        if kind.startswith("Custom::"):
            continue  # a call of a function, which the functions' own entry allows
        if kind not in table:
            raise ValueError(f"{kind}: {_TABLE.name} does not say what deploying one takes")
        for entry in table[kind]:
            arns = [arn for text in entry["resources"] for arn in _expanded(text, kind, resources, prefix, entry)]
            yield _statement(entry["actions"], sorted(set(arns)))


def _expanded(text: str, kind: str, resources: Resources, prefix: str, entry: Mapping[str, Any]) -> list[str]:
    found = re.search(r"(?<!\$)\{(prefix|logical|name)(?::([\w:]+))?\}", text)
    if not found:
        return [text]
    what, argument = found[1], found[2]
    if what == "prefix":
        values = [prefix]
    elif what == "logical":
        wanted = argument or kind
        values = [path.split("/")[1] for path, each in resources.items() if each["Type"] == wanted]
    else:
        properties = [each.get("Properties", {}) for each in resources.values() if each["Type"] == kind]
        values = [each[argument] for each in properties if isinstance(each.get(argument), str)]
    lower = entry.get("lower_case", False)
    return [text.replace(found[0], value.lower() if lower else value) for value in values]


def _of_references(resources: Resources, prefix: str) -> Iterator[Statement]:
    roles = [each["Properties"] for each in resources.values() if each["Type"] == "AWS::IAM::Role"]
    trusts = [trust for role in roles for trust in role["AssumeRolePolicyDocument"]["Statement"]]
    # A role that people assume is passed to no service.
    services = {trust["Principal"]["Service"] for trust in trusts if "Service" in trust["Principal"]}
    passing = _statement(["iam:PassRole"], [f"arn:${{AWS::Partition}}:iam::${{AWS::AccountId}}:role/{prefix}-*"])
    yield passing | {"Condition": {"StringEquals": {"iam:PassedToService": sorted(services)}}}
    if any(each.get("Properties", {}).get("KmsKeyId") for each in resources.values() if "SageMaker" in each["Type"]):
        # https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateEndpointConfig.html
        granting = _statement(["kms:CreateGrant"], [f"arn:${{AWS::Partition}}:kms:{_SCOPE}:key/*"])
        yield granting | {"Condition": {"Bool": {"kms:GrantIsForAWSResource": "true"}}}


def _statement(actions: Iterable[str], resources: list[str], *, service: str = "") -> Statement:
    named = [f"{service}:{action}" if service else action for action in actions]
    return {"Effect": "Allow", "Action": sorted(named), "Resource": resources}


def _merged(statements: Iterable[Statement]) -> list[Statement]:
    actions: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for each in statements:
        actions[tuple(each["Resource"])] |= set(each["Action"])
    return [_statement(found, list(resources)) for resources, found in sorted(actions.items()) if resources]


def _parts(statements: Iterable[Statement]) -> Iterator[list[Statement]]:
    """Fill one policy after the other, each to its limit."""
    part: list[Statement] = []
    for statement in statements:
        if part and characters([*part, statement]) > MAX_CHARACTERS:
            yield part
            part = []
        part.append(statement)
    yield part


def characters(statements: Sequence[Statement]) -> int:
    """Return the length of a policy of these statements as IAM counts it, in the partition with the longest names."""
    text = json.dumps({"Version": "2012-10-17", "Statement": statements}, separators=(",", ":"))
    for name, value in {**_LONGEST, PARAMETER: "b" * 63}.items():
        text = text.replace(f"${{{name}}}", value)
    return len(text)


def _substituted(statement: Statement) -> Statement:
    resources = [{"Fn::Sub": each} if "${" in each else each for each in statement["Resource"]]
    return statement | {"Resource": resources}
