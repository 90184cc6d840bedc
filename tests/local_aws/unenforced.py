"""The permissions of roles whose absence no run on the embedded AWS shows, each with its reason."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tests.local_aws.permissions import Permission


@dataclass(frozen=True)
class Unenforced:
    """Roles, by a pattern of their logical ids, and actions that the emulation does not ask for."""

    roles: str
    pattern: str
    actions: tuple[str, ...]
    reason: str

    def covers(self, permission: Permission) -> bool:
        """Whether this is the reason why a permission cannot be shown to be needed."""
        return permission.action in self.actions and bool(re.fullmatch(self.pattern, permission.role))


UNENFORCED: Final = (
    Unenforced(
        "functions of custom resources, their framework and its waiter",
        r".*Provider(Framework|Waiter)?Role",
        ("logs:CreateLogStream", "logs:PutLogEvents"),
        "ministack keeps a function's log lines without asking; on AWS too a function that may not log runs",
    ),
    Unenforced(
        "endpoints",
        r"InferenceEndpointRole",
        ("logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"),
        "asked for, but an endpoint that may not log runs all the same",
    ),
    Unenforced(
        "endpoints",
        r"InferenceEndpointRole",
        ("cloudwatch:DescribeAlarms",),
        "SageMaker's documentation of rollbacks asks for it; no alarm is looked at here",
    ),
    Unenforced(
        "framework and waiter of custom resources",
        r".*Provider(Framework|Waiter)Role",
        ("lambda:GetFunction",),
        "the framework asks only while a function is not active yet, which never happens here",
    ),
    Unenforced(
        "waiter's state machine",
        r".*waiterstatemachineRole",
        ("lambda:InvokeFunction",),
        "ministack's Step Functions call functions without asking",
    ),
    Unenforced(
        "builds",
        r"(ModelPackage|DecisionImage)BuildRole",
        ("s3:GetObjectVersion", "s3:GetBucketAcl", "s3:GetBucketLocation"),
        "our stand-in for CodeBuild reads a source as one object, in its newest version",
    ),
    Unenforced(
        "packaging build",
        r"ModelPackageBuildRole",
        ("s3:AbortMultipartUpload",),
        "asked for only when an upload breaks off",
    ),
    Unenforced(
        "model custodian",
        r"ArtifactBucketModelCustodianRole",
        ("s3:DeleteObject", "s3:DeleteObjectVersion", "s3:ListBucket", "s3:ListBucketVersions"),
        "people assume it, no deployment does; a test of its own shows what it may and may not",
    ),
    Unenforced(
        "image build",
        r"DecisionImageBuildRole",
        ("kms:Decrypt",),
        "CodeBuild's own use of a project's key is not carried out here",
    ),
    Unenforced(
        "starting of builds",
        r"(ModelPackage|DecisionImage)RunProviderRole",
        ("kms:Decrypt",),
        "asked for only to read the report of a failed build, which has failed without it too",
    ),
    Unenforced(
        "starting of the image build",
        r"DecisionImageRunProviderRole",
        ("s3:GetObject",),
        "as above",
    ),
)
# What no policy of a template decides at all.
OUTSIDE: Final = (
    (
        "CloudFormation's own calls",
        "all",
        "ministack creates resources without a role; the bootstrap's is an administrator",
    ),
    (
        "emptying of buckets",
        "the bucket policy's",
        "CDK's own function, for which the bucket's policy makes an exception",
    ),
)
HEADER: Final = ("| roles | actions | why a run does not show that they are needed |", "|---|---|---|")


def shown(permissions: Iterable[Permission]) -> list[Permission]:
    """Return those whose absence makes a run fail."""
    return [permission for permission in permissions if not any(each.covers(permission) for each in UNENFORCED)]


def table() -> str:
    """Return the list as the README shows it."""
    rows = [(each.roles, ", ".join(f"`{action}`" for action in each.actions), each.reason) for each in UNENFORCED]
    return "\n".join((*HEADER, *(f"| {' | '.join(row)} |" for row in (*rows, *OUTSIDE))))
