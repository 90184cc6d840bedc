"""Verify the published model again, now: the deployed verification itself is asked, with the pin of the file."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from botocore.config import Config

from config.settings import Settings

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient

# The function has 15 minutes, and asking again would verify again.
LAMBDA_CONFIG: Final = Config(
    read_timeout=920, connect_timeout=5, retries={"mode": "standard", "total_max_attempts": 1}
)
_HANDLER: Final = "VerifiedModelProviderOnEvent"


class Functions(Protocol):
    """The Lambda call made here."""

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803 - Lambda's own spelling
        """Call a function and wait for its answer."""


@dataclass(frozen=True)
class Verified:
    """What one endpoint's verification said: its answer, or why it refused."""

    kind: str
    facts: dict[str, str]
    refusal: str | None

    @property
    def sentence(self) -> str:
        """One line about it."""
        if self.refusal:
            return f"{self.kind:<9} WRONG  {self.refusal}"
        facts = self.facts
        return f"{self.kind:<9} right  {facts['ModelDataUrl']} holds GGUF {facts['GgufSha256']}: {facts['Proof']}"


def verify(cloudformation: "CloudFormationClient", functions: Functions, settings: Settings) -> list[Verified]:
    """Let the function of each endpoint's stack verify the pinned model; a chat endpoint of the hub has none.

    Raises:
        LookupError: A stack has no such function.
        botocore.exceptions.ClientError: A stack is not there, or the caller may not ask.
    """
    prefix = f"semif-{settings.environment.name}"
    (artifact,) = cloudformation.describe_stacks(StackName=f"{prefix}-artifact")["Stacks"]
    outputs = {each["OutputKey"]: each["OutputValue"] for each in artifact["Outputs"]}
    event = {
        "RequestType": "Create",
        "LogicalResourceId": "OnDemand",
        "ResourceProperties": _properties(settings, outputs["BucketName"]),
    }
    kinds = ["decision"] if settings.chat.hub_model else ["chat", "decision"]
    return [_verified(kind, functions, _function(cloudformation, f"{prefix}-{kind}"), event) for kind in kinds]


def _properties(settings: Settings, bucket: str) -> dict[str, str]:
    pin = settings.model
    return {
        "Bucket": bucket,
        "Key": pin.object_key,
        "Packaging": pin.packaging,
        "GgufFile": pin.file,
        "GgufBytes": str(pin.bytes),
        "GgufSha256": pin.sha256,
        "FurtherParts": pin.further_parts,
        "ManifestSha256": pin.manifest_sha256,
        "HandlerVersion": "on-demand",
    }


def _function(cloudformation: "CloudFormationClient", stack: str) -> str:
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
    for page in pages:
        for resource in page["StackResourceSummaries"]:
            if (
                resource["LogicalResourceId"].startswith(_HANDLER)
                and resource["ResourceType"] == "AWS::Lambda::Function"
            ):
                return resource["PhysicalResourceId"]
    raise LookupError(f"{stack} has no function {_HANDLER}.")


def _verified(kind: str, functions: Functions, function: str, event: dict[str, Any]) -> Verified:
    response = functions.invoke(FunctionName=function, Payload=json.dumps(event).encode())
    answer = json.loads(response["Payload"].read())
    if "FunctionError" in response:
        return Verified(kind, {}, str(answer.get("errorMessage", answer)))
    return Verified(kind, dict(answer["Data"]), None)
