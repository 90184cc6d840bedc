"""AWS::ApplicationAutoScaling::ScalableTarget and ::ScalingPolicy: recorded, never acted on."""

from typing import Any

from local_aws.emulator.resource_types import Created, Properties, ResourceType
from local_aws.emulator.sagemaker_types import generated_name
from local_aws.emulator.shape_casting import cast

_TARGET_KEYS = ("ResourceId", "ScalableDimension", "ServiceNamespace")


def types(scaling: Any) -> list[ResourceType]:  # noqa: ANN401 -- boto3 makes the class at run time
    """Return the two types, backed by an Application Auto Scaling client."""
    return [_scalable_target(scaling), _scaling_policy(scaling)]


def _scalable_target(scaling: Any) -> ResourceType:  # noqa: ANN401 -- as above
    shape = scaling.meta.service_model.operation_model("RegisterScalableTarget").input_shape

    def put(properties: Properties) -> Created:
        scaling.register_scalable_target(**cast(dict(properties), shape))
        identifier = "|".join(properties[key] for key in _TARGET_KEYS)
        return identifier, {"Id": identifier}

    def delete(_identifier: str, properties: Properties) -> None:
        scaling.deregister_scalable_target(**{key: properties[key] for key in _TARGET_KEYS})

    return ResourceType(
        name="AWS::ApplicationAutoScaling::ScalableTarget",
        create=lambda _logical_id, properties, _stack_name: put(properties),
        update=lambda _identifier, _old, new, _stack_name: put(new),
        delete=delete,
        replacing=_TARGET_KEYS,
        tags=False,
    )


def _scaling_policy(scaling: Any) -> ResourceType:  # noqa: ANN401 -- as above
    shape = scaling.meta.service_model.operation_model("PutScalingPolicy").input_shape

    def put(properties: Properties) -> Created:
        arn = scaling.put_scaling_policy(**cast(_with_target(properties), shape))["PolicyARN"]
        return arn, {"Arn": arn, "PolicyName": properties["PolicyName"]}

    def create(logical_id: str, properties: Properties, stack_name: str) -> Created:
        return put(
            dict(properties) | {"PolicyName": properties.get("PolicyName") or generated_name(stack_name, logical_id)}
        )

    def delete(arn: str, properties: Properties) -> None:
        target = {key: _with_target(properties)[key] for key in _TARGET_KEYS}
        scaling.delete_scaling_policy(PolicyName=arn.rsplit("policyName/", 1)[-1], **target)

    return ResourceType(
        name="AWS::ApplicationAutoScaling::ScalingPolicy",
        create=create,
        update=lambda arn, _old, new, _stack_name: put({"PolicyName": arn.rsplit("policyName/", 1)[-1], **new}),
        delete=delete,
        replacing=(*_TARGET_KEYS, "PolicyName", "ScalingTargetId"),
        tags=False,
    )


def _with_target(properties: Properties) -> dict[str, Any]:
    """Return the properties with the scalable target spelled out where its id stood."""
    spelled = dict(properties)
    if identifier := spelled.pop("ScalingTargetId", None):
        spelled |= dict(zip(_TARGET_KEYS, identifier.split("|"), strict=True))
    return spelled
