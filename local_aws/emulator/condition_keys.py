"""What an authorization check of S3, CodeBuild, ECR or Logs is about, where ministack's own answer is too coarse."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

_SESSION: Final = re.compile(r"arn:(?P<partition>[\w-]+):sts::(?P<account>\d*):assumed-role/(?P<role>[^/]+)/.+")
_STREAM_ACTIONS: Final = frozenset({"CreateLogGroup", "CreateLogStream", "DescribeLogStreams", "PutLogEvents"})


def creation_context(action: str, query: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, str]:
    """Return the keys a PutObject permission check carries about conditional writes.

    S3 asks `s3:PutObject` also for the calls of a multipart upload. Only the one that completes it creates the object
    and can carry a condition, so the key is false for the others.
    """
    if action != "s3:PutObject":
        return {}
    part = "uploads" in query or "partNumber" in query
    context = {"s3:ObjectCreationOperation": "false" if part else "true"}
    if condition := headers.get("if-none-match"):
        context["s3:if-none-match"] = condition
    return context


def principal(arn: str) -> str:
    """Return `aws:PrincipalArn` of whoever makes a request: of a role's session it is the role's.

    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-principalarn
    """
    session = _SESSION.fullmatch(arn)
    return f"arn:{session['partition']}:iam::{session['account']}:role/{session['role']}" if session else arn


def builds_project(body: bytes, region: str, account: str) -> str:
    """Return the project that the builds of one BatchGetBuilds call belong to, or `*` if there are several."""
    try:
        names = {str(build).rsplit("/", 1)[-1].split(":", 1)[0] for build in json.loads(body)["ids"]}
    except (ValueError, KeyError, TypeError):
        return "*"
    return f"arn:aws:codebuild:{region}:{account}:project/{names.pop()}" if len(names) == 1 else "*"


def described_repository(body: bytes, region: str, account: str) -> str:
    """Return the repository that one DescribeRepositories call is about, or `*` if it is not exactly one."""
    try:
        names = json.loads(body)["repositoryNames"]
    except (ValueError, KeyError, TypeError):
        return "*"
    one = isinstance(names, list) and len(names) == 1
    return f"arn:aws:ecr:{region}:{account}:repository/{names[0]}" if one else "*"


def log_stream(target: str, body: bytes, log_group_arn: str) -> str:
    """Return what a call about a log stream or its group is authorized on: the stream below the group.

    AWS names the stream even where there is none, as its denials show: the ARN then ends in `:log-stream:`. So a policy
    for the group's ARN allows the call only if it ends in `:*`, as CloudFormation's attribute does.
    """
    if target.rpartition(".")[2] not in _STREAM_ACTIONS or log_group_arn == "*":
        return log_group_arn
    try:
        stream = json.loads(body).get("logStreamName", "")
    except (ValueError, AttributeError):
        stream = ""
    return f"{log_group_arn}:log-stream:{stream}"
