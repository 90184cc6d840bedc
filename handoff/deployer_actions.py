"""What deploying takes: the script's own calls, and what CloudFormation calls for what the templates contain."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from config.assets_bucket import PARAMETER, PREFIX
from handoff.statements import Statement, statement

_TABLE = Path(__file__).with_name("actions.toml")
_SCOPE = "${AWS::Region}:${AWS::AccountId}"

Resources = Mapping[str, Mapping[str, Any]]
"""Resources of all templates by stack and logical id, as in `semif-dev-chat/Endpoint`."""


def own_calls(stacks: Sequence[str]) -> Iterator[Statement]:
    """Allow what the script calls itself: on its stacks, by name, and on the bucket of the archives."""
    yield statement(
        [
            *("CreateStack", "DeleteStack", "DescribeStackEvents", "DescribeStacks", "UpdateStack"),
            *("ContinueUpdateRollback", "UpdateTerminationProtection"),
            *("CreateChangeSet", "DeleteChangeSet", "DescribeChangeSet"),
        ],
        [f"arn:${{AWS::Partition}}:cloudformation:{_SCOPE}:stack/{name}/*" for name in stacks],
        service="cloudformation",
    )
    bucket = f"arn:${{AWS::Partition}}:s3:::${{{PARAMETER}}}"
    yield statement(["GetBucketLocation", "ListBucket"], [bucket], service="s3")
    yield statement(["GetObject", "PutObject"], [f"{bucket}/{PREFIX}*"], service="s3")


def of_types(resources: Resources, prefix: str) -> Iterator[Statement]:
    """Allow what each type of resource takes by the table of actions; `prefix` begins the names of resources.

    Raises:
        ValueError: The table does not know a type.
    """
    table = tomllib.loads(_TABLE.read_text("utf-8"))
    for kind in sorted({resource["Type"] for resource in resources.values()}):
        if kind.startswith("Custom::"):
            continue  # a call of a function, which the functions' own entry allows
        if kind not in table:
            raise ValueError(f"{kind}: {_TABLE.name} does not say what deploying one takes")
        for entry in table[kind]:
            arns = [arn for text in entry["resources"] for arn in _expanded(text, kind, resources, prefix, entry)]
            yield statement(entry["actions"], sorted(set(arns)))


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


def of_references(resources: Resources, prefix: str) -> Iterator[Statement]:
    """Allow what resources take of one another: roles passed to their services, and a key granted to SageMaker."""
    roles = [each["Properties"] for each in resources.values() if each["Type"] == "AWS::IAM::Role"]
    trusts = [trust for role in roles for trust in role["AssumeRolePolicyDocument"]["Statement"]]
    # A role that people assume is passed to no service.
    services = {trust["Principal"]["Service"] for trust in trusts if "Service" in trust["Principal"]}
    passing = statement(["iam:PassRole"], [f"arn:${{AWS::Partition}}:iam::${{AWS::AccountId}}:role/{prefix}-*"])
    yield passing | {"Condition": {"StringEquals": {"iam:PassedToService": sorted(services)}}}
    if any(each.get("Properties", {}).get("KmsKeyId") for each in resources.values() if "SageMaker" in each["Type"]):
        # https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateEndpointConfig.html
        granting = statement(["kms:CreateGrant"], [f"arn:${{AWS::Partition}}:kms:{_SCOPE}:key/*"])
        yield granting | {"Condition": {"Bool": {"kms:GrantIsForAWSResource": "true"}}}
