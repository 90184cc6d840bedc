"""Where an endpoint runs: instance type or pools, counts, timeouts and limits."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from config.guardrails import Guardrails, check_batches
from config.instance_type import Accelerator, InstanceType
from config.rules import broken
from config.scaling import Scaling
from config.values import EndpointName, PositiveInt, Table


def _known_type(name: str) -> str:
    return InstanceType(name).name


InstanceTypeName = Annotated[str, AfterValidator(_known_type)]
Seconds = Annotated[int, Field(ge=60, le=3600)]
# The values of the API's ProductionVariantInferenceAmiVersion that carry an NVIDIA driver.
GpuAmiVersion = Literal[
    "al2-ami-sagemaker-inference-gpu-2",
    "al2-ami-sagemaker-inference-gpu-2-1",
    "al2-ami-sagemaker-inference-gpu-3-1",
    "al2023-ami-sagemaker-inference-gpu-4-1",
]
MAX_POOLS = 5


class InstancePool(Table):
    """One instance type SageMaker may take; the lowest priority number is tried first."""

    instance_type: InstanceTypeName
    priority: Annotated[int, Field(ge=1, le=MAX_POOLS)]


class Hosting(Table):
    """What the two endpoints have in common; timeouts in seconds, context in tokens."""

    endpoint_name: EndpointName
    instance_type: InstanceTypeName | None = None
    instance_pools: Annotated[tuple[InstancePool, ...], Field(strict=False)] = ()
    variant_instance_provision_timeout_seconds: Annotated[int, Field(ge=300, le=3600)] | None = None
    inference_ami_version: GpuAmiVersion | None = None
    initial_instance_count: PositiveInt
    startup_health_check_timeout_seconds: Seconds
    model_data_download_timeout_seconds: Seconds
    context_tokens: Annotated[int, Field(ge=256, le=262_144)]
    scaling: Scaling | None = None
    guardrails: Guardrails | None = None

    @property
    def instance_types(self) -> tuple[InstanceType, ...]:
        """The instance type, or those of the pools in order of priority."""
        pools = sorted(self.instance_pools, key=lambda pool: pool.priority)
        names = [self.instance_type] if self.instance_type else [pool.instance_type for pool in pools]
        return tuple(InstanceType(name) for name in names)

    @property
    def accelerator(self) -> Accelerator:
        """What every one of the instance types computes with."""
        return self.instance_types[0].accelerator

    @model_validator(mode="after")
    def _has_type_or_pools(self) -> Self:
        if bool(self.instance_type) == bool(self.instance_pools):
            raise broken("instance_type", "give either instance_type or instance_pools: pools replace the type")
        if len(self.instance_pools) > MAX_POOLS:
            raise broken("instance_pools", f"at most {MAX_POOLS} pools, not {len(self.instance_pools)}")
        for field in ("instance_type", "priority"):
            values = [getattr(pool, field) for pool in self.instance_pools]
            if twice := sorted({str(value) for value in values if values.count(value) > 1}):
                raise broken("instance_pools", f"each pool needs its own {field}; {', '.join(twice)} is there twice")
        if bool(self.instance_pools) != bool(self.variant_instance_provision_timeout_seconds):
            raise broken("variant_instance_provision_timeout_seconds", "is required with instance_pools and only there")
        return self

    @model_validator(mode="after")
    def _fleet_suits_scaling_and_guardrails(self) -> Self:
        count, scaling = self.initial_instance_count, self.scaling
        if scaling and not scaling.min_instance_count <= count <= scaling.max_instance_count:
            between = f"{scaling.min_instance_count} to {scaling.max_instance_count}"
            raise broken("initial_instance_count", f"is {count}, outside of scaling's {between}")
        if self.guardrails:
            check_batches(self.guardrails, scaling.min_instance_count if scaling else count)
        return self

    @model_validator(mode="after")
    def _members_are_alike(self) -> Self:
        """One image, one host image and one choice about the volume key have to suit every member of a pool."""
        first = self.instance_types[0]
        for member in self.instance_types:
            for what in (_processor, _disk):
                if what(member) != what(first):
                    rule = f"{member.name} {what(member)}, but {first.name} {what(first)}"
                    raise broken("instance_pools", f"every member must suit one configuration: {rule}")
        return self


def _processor(member: InstanceType) -> str:
    return f"computes on {member.architecture} {member.accelerator}"


def _disk(member: InstanceType) -> str:
    """SageMaker refuses a volume key on local NVMe disks; the other members' disks would then be left without one."""
    return "has local NVMe disks" if member.has_local_nvme else "has a volume that takes a key"
