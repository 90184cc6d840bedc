"""What a call to SageMaker, its runtime or Application Auto Scaling needs: pairs of an action and a resource.

https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsagemaker.html
"""

import json
import re
from typing import Any, Final

from local_aws.checkout import ACCOUNT, REGION

Permission = tuple[str, str]

_RESOURCES: Final = {"Endpoint": "endpoint", "EndpointConfig": "endpoint-config", "Model": "model"}
_VERBS: Final = ("Create", "Describe", "Update", "Delete")
# These also read the configuration that they put in service.
_WITH_CONFIG: Final = frozenset({"CreateEndpoint", "UpdateEndpoint"})
_SERVICE: Final = re.compile(r"Credential=[^/]*/\d{8}/[^/]*/(?P<service>[a-z0-9-]+)/aws4_request")


def of_control_plane(authorization: str, target: str, body: bytes) -> list[Permission]:
    """Return what a call needs, by the service it is signed for and the operation in its X-Amz-Target header.

    A call that names no operation needs a permission that nobody can have.
    """
    signed_for = _SERVICE.search(authorization)
    service = signed_for["service"] if signed_for else "sagemaker"
    operation = target.rpartition(".")[2]
    if not operation:
        return [(f"{service}:", "*")]
    if service != "sagemaker":
        return [(f"{service}:{operation}", "*")]
    return _of_sagemaker(operation, _parameters(body))


def of_invocation(endpoint_name: str, *, streamed: bool) -> list[Permission]:
    """Return what InvokeEndpoint or InvokeEndpointWithResponseStream needs."""
    operation = "InvokeEndpointWithResponseStream" if streamed else "InvokeEndpoint"
    return [(f"sagemaker:{operation}", _arn("endpoint", endpoint_name))]


def _of_sagemaker(operation: str, parameters: dict[str, Any]) -> list[Permission]:
    action = f"sagemaker:{operation}"
    verb = next((verb for verb in _VERBS if operation.startswith(verb)), "")
    noun = operation.removeprefix(verb)
    if not verb or noun not in _RESOURCES:
        return [(action, str(parameters.get("ResourceArn", "*")))]
    needed = [(action, _arn(_RESOURCES[noun], str(parameters.get(f"{noun}Name", ""))))]
    if operation in _WITH_CONFIG:
        needed.append((action, _arn("endpoint-config", str(parameters.get("EndpointConfigName", "")))))
    if operation == "CreateModel":
        needed.append(("iam:PassRole", str(parameters.get("ExecutionRoleArn", "*"))))
    return needed


def _arn(kind: str, name: str) -> str:
    # SageMaker's ARNs are in lower case, whatever the name.
    return f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:{kind}/{name.lower()}"


def _parameters(body: bytes) -> dict[str, Any]:
    try:
        parameters = json.loads(body or b"{}")
    except ValueError:
        return {}
    return parameters if isinstance(parameters, dict) else {}
