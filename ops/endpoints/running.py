"""What runs: what each endpoint's stack asked for, what SageMaker runs, and what the decision container says it is."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from config.settings import Settings
from ops.ask import ask_decision

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient
    from types_boto3_sagemaker import SageMakerClient
    from types_boto3_sagemaker_runtime import SageMakerRuntimeClient

IN_SERVICE: Final = "InService"


@dataclass(frozen=True)
class Clients:
    """Where to look."""

    cloudformation: "CloudFormationClient"
    sagemaker: "SageMakerClient"
    runtime: "SageMakerRuntimeClient"


@dataclass(frozen=True)
class Running:
    """One endpoint: its name, a value for each thing worth knowing, and what is not as it was deployed."""

    kind: str
    facts: dict[str, str]
    differences: list[str]

    def lines(self) -> list[str]:
        """Return one line for each fact and difference."""
        facts = [f"{self.kind:<9} {name:<13} {value}" for name, value in self.facts.items()]
        return facts + [f"{self.kind:<9} DIFFERENT     {sentence}" for sentence in self.differences]


def running(clients: Clients, settings: Settings) -> list[Running]:
    """Describe both endpoints of an environment.

    Raises:
        botocore.exceptions.ClientError: A stack or an endpoint is not there, or the caller may not look.
    """
    prefix = f"semif-{settings.environment.name}"
    return [_chat(clients, f"{prefix}-chat"), _decision(clients, f"{prefix}-decision")]


def _chat(clients: Clients, stack: str) -> Running:
    facts = _facts(clients, stack)
    return Running("chat", facts, _not_in_service(facts))


def _decision(clients: Clients, stack: str) -> Running:
    facts = _facts(clients, stack)
    differences = _not_in_service(facts)
    if not differences:
        said: dict[str, Any] = ask_decision(clients.runtime, facts["endpoint"])["model"]
        facts["says image"], facts["says GGUF"] = said["image_digest"], said["gguf"]["sha256"]
        if not facts["image"].endswith(f"@{said['image_digest']}"):
            differences.append(f"the container says that it is image {said['image_digest']}")
        if facts["GGUF"] != said["gguf"]["sha256"]:
            differences.append(f"the container says that it serves GGUF {said['gguf']['sha256']}")
    return Running("decision", facts, differences)


def _facts(clients: Clients, stack: str) -> dict[str, str]:
    (found,) = clients.cloudformation.describe_stacks(StackName=stack)["Stacks"]
    outputs = {output.get("OutputKey", ""): output.get("OutputValue", "") for output in found.get("Outputs", [])}
    endpoint = clients.sagemaker.describe_endpoint(EndpointName=outputs["EndpointName"])
    config = clients.sagemaker.describe_endpoint_config(EndpointConfigName=endpoint["EndpointConfigName"])
    variant = config["ProductionVariants"][0]
    types = [variant["InstanceType"]] if "InstanceType" in variant else []
    types += [pool["InstanceType"] for pool in variant.get("InstancePools", [])]
    return {
        "endpoint": outputs["EndpointName"],
        "status": endpoint["EndpointStatus"],
        "since": endpoint["LastModifiedTime"].isoformat(timespec="seconds"),
        "stack": f"{stack} {found['StackStatus']}",
        "instances": f"{variant.get('InitialInstanceCount', 1)} at first, of {' or '.join(types)}",
        "image": outputs["ImageUri"],
        # A model of the hub is verified by nobody, and its stack says so in one output of its own.
        **({"model": outputs["Model"]} if "Model" in outputs else {}),
        **({"model": outputs["ModelDataUrl"], "GGUF": outputs["GgufSha256"]} if "GgufSha256" in outputs else {}),
    }


def _not_in_service(facts: dict[str, str]) -> list[str]:
    return [] if facts["status"] == IN_SERVICE else [f"the endpoint is {facts['status']}"]
