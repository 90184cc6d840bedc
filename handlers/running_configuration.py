"""Compare what an endpoint runs with what its stack asked for."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from field_differences import NOTHING, difference, differences
from patience import Patience
from propagation import until_allowed

Described = Mapping[str, Any]

IN_SERVICE: Final = "InService"
# An endpoint that scales or is patched by AWS while it is looked at comes back to InService by itself.
_PASSING: Final = frozenset({"Creating", "Updating", "SystemUpdating"})
# What changes how an endpoint answers and has no default: there only if somebody asked for it.
_ONLY_IF_ASKED: Final = {
    "Model": ("Containers", "VpcConfig"),
    "EndpointConfig": ("DataCaptureConfig", "AsyncInferenceConfig", "ExplainerConfig", "ShadowProductionVariants"),
}


class ControlPlane(Protocol):
    """The SageMaker calls made here."""

    def describe_endpoint(self, *, EndpointName: str) -> Described:  # noqa: N803 - SageMaker's own spelling
        """Return what an endpoint runs."""

    def describe_endpoint_config(self, *, EndpointConfigName: str) -> Described:  # noqa: N803 - as above
        """Return an endpoint configuration."""

    def describe_model(self, *, ModelName: str) -> Described:  # noqa: N803 - as above
        """Return a model."""


@dataclass(frozen=True)
class Requested:
    """What the stack asked for.

    Attributes:
        endpoint_name: The endpoint.
        config_name: Its configuration.
        config: The configuration's properties in the template.
        model: The model's properties in the template.
        scaled: Whether something else than the template decides how many instances there are.
    """

    endpoint_name: str
    config_name: str
    config: Described
    model: Described
    scaled: bool


def running_differences(
    control: ControlPlane, requested: Requested, patience: Patience, sleep: Callable[[float], None]
) -> list[str]:
    """Return how endpoint, configuration and model differ from what was asked for.

    An endpoint that is not in service or runs another configuration is not looked at more closely: SageMaker went back
    to an older one, or somebody else deployed. Its configuration is none that this stack may read.

    Raises:
        ClientError: SageMaker does not describe one of them.
    """
    endpoint = _settled(control, requested.endpoint_name, patience, sleep)
    first = [
        *differences("Endpoint.EndpointStatus", IN_SERVICE, endpoint.get("EndpointStatus", NOTHING)),
        *differences("Endpoint.EndpointConfigName", requested.config_name, endpoint.get("EndpointConfigName", NOTHING)),
    ]
    if first:
        return first
    config = until_allowed(lambda: control.describe_endpoint_config(EndpointConfigName=requested.config_name), sleep)
    (variant,) = requested.config["ProductionVariants"]
    model = until_allowed(lambda: control.describe_model(ModelName=variant["ModelName"]), sleep)
    return [
        *_resource_differences("EndpointConfig", requested.config, config),
        *_resource_differences("Model", requested.model, model),
        *_fleet_differences(requested, variant, endpoint.get("ProductionVariants", [])),
    ]


def _settled(control: ControlPlane, name: str, patience: Patience, sleep: Callable[[float], None]) -> Described:
    while True:
        endpoint = until_allowed(lambda: control.describe_endpoint(EndpointName=name), sleep)
        if endpoint.get("EndpointStatus") not in _PASSING or not patience.wait():
            return endpoint


def _resource_differences(kind: str, wanted: Described, found: Described) -> Iterator[str]:
    yield from differences(kind, _in_order(wanted), _in_order(found))
    for name in _ONLY_IF_ASKED[kind]:
        if name not in wanted and found.get(name):
            yield difference(f"{kind}.{name}", NOTHING, found[name])


def _in_order(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Sort every list of texts: subnets and security groups are sets."""
    if isinstance(value, Mapping):
        return {name: _in_order(each) for name, each in value.items()}
    if isinstance(value, list):
        texts = all(isinstance(each, str) for each in value)
        return sorted(value) if texts else [_in_order(each) for each in value]
    return value


def _fleet_differences(requested: Requested, wanted: Described, found: list[Described]) -> Iterator[str]:
    field = "Endpoint.ProductionVariants"
    names = [variant.get("VariantName") for variant in found]
    if names != [wanted["VariantName"]]:
        yield difference(f"{field}.VariantName", [wanted["VariantName"]], names)
        return
    (running,) = found
    count = running.get("CurrentInstanceCount", NOTHING)
    if not requested.scaled:
        yield from differences(f"{field}.CurrentInstanceCount", wanted["InitialInstanceCount"], count)
    elif not isinstance(count, int) or count < 1:
        yield difference(f"{field}.CurrentInstanceCount", "at least 1", count)
    yield from _pool_differences(f"{field}.InstancePools", wanted, running)
    image = requested.model["PrimaryContainer"]["Image"]
    _, _, digest = image.rpartition("@")
    deployed = running.get("DeployedImages") or [{}]
    for index, each in enumerate(deployed):
        place = f"{field}.DeployedImages[{index}]"
        yield from differences(f"{place}.SpecifiedImage", image, each.get("SpecifiedImage", NOTHING))
        resolved = str(each.get("ResolvedImage", ""))
        if not resolved.endswith(f"@{digest}"):
            yield difference(f"{place}.ResolvedImage", digest, resolved)


def _pool_differences(field: str, wanted: Described, running: Described) -> Iterator[str]:
    types = [pool["InstanceType"] for pool in wanted.get("InstancePools", [])]
    for index, pool in enumerate(running.get("InstancePools", [])):
        if pool.get("InstanceType") not in types:
            yield difference(f"{field}[{index}].InstanceType", types, pool.get("InstanceType", NOTHING))
