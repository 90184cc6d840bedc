"""Whether a deployment would rename an endpoint, which nobody who calls it would survive."""

from typing import TYPE_CHECKING

from config.settings import Settings
from ops.stacks import outputs

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient


def renamings(cloudformation: "CloudFormationClient", settings: Settings) -> list[str]:
    """Return a sentence for each endpoint that is deployed under another name than the settings have.

    CloudFormation would carry a new name out as a replacement: it makes a second endpoint and deletes the one that
    callers use.

    Raises:
        botocore.exceptions.ClientError: The stacks cannot be seen.
    """
    prefix, sentences = f"semif-{settings.environment.name}", []
    for kind, name in (("chat", settings.chat.endpoint_name), ("decision", settings.decision.endpoint_name)):
        deployed = outputs(cloudformation, f"{prefix}-{kind}").get("EndpointName")
        if deployed and deployed != name:
            sentences.append(
                f"{kind}.endpoint_name: {prefix}-{kind} serves {deployed}; {name} would take it away from its callers. "
                "Write a second environment with the new name, deploy it, move the callers, then destroy this one; "
                f"or, if nobody calls {deployed}, destroy {prefix}-{kind} first."
            )
    return sentences
