"""AWS::SageMaker::Model and AWS::SageMaker::EndpointConfig: every property replaces the resource, except tags."""

import re
from typing import Any, Final
from uuid import uuid4

from botocore.exceptions import ClientError

from local_aws.emulator.resource_types import Created, Properties, ResourceType
from local_aws.emulator.shape_casting import cast

NAME_LIMIT: Final = 63


def types(sagemaker: Any) -> list[ResourceType]:  # noqa: ANN401 -- boto3 makes the class at run time
    """Return the two types, backed by a SageMaker client."""
    return [_replaced_type(sagemaker, "Model"), _replaced_type(sagemaker, "EndpointConfig")]


def generated_name(stack_name: str, logical_id: str) -> str:
    """Return a name no earlier resource had, as CloudFormation makes one for a resource without a name of its own."""
    suffix = uuid4().hex[:12]
    stem = re.sub(r"[^A-Za-z0-9-]", "", f"{stack_name}-{logical_id}")
    return f"{stem[: NAME_LIMIT - len(suffix) - 1].rstrip('-')}-{suffix}"


def _replaced_type(sagemaker: Any, noun: str) -> ResourceType:  # noqa: ANN401 -- as above
    operation = sagemaker.meta.service_model.operation_model(f"Create{noun}")
    create_call = getattr(sagemaker, "create_model" if noun == "Model" else "create_endpoint_config")
    delete_call = getattr(sagemaker, "delete_model" if noun == "Model" else "delete_endpoint_config")
    names: dict[str, str] = {}

    def create(logical_id: str, properties: Properties, stack_name: str) -> Created:
        name = properties.get(f"{noun}Name") or generated_name(stack_name, logical_id)
        parameters = cast(dict(properties) | {f"{noun}Name": name}, operation.input_shape)
        # SageMaker's ARNs are in lower case, whatever the name.
        arn = str(create_call(**parameters)[f"{noun}Arn"]).lower()
        names[arn] = name
        return arn, {f"{noun}Name": name}

    def update(arn: str, _old: Properties, _new: Properties, _stack_name: str) -> Created:
        return arn, {f"{noun}Name": names[arn]}

    def delete(arn: str, _properties: Properties) -> None:
        try:
            delete_call(**{f"{noun}Name": names.pop(arn, arn)})
        except ClientError as error:
            # A resource whose creation failed has an id of CloudFormation's own: there is nothing to delete.
            if "Could not find" not in str(error):
                raise

    return ResourceType(
        name=f"AWS::SageMaker::{noun}",
        create=create,
        update=update,
        delete=delete,
        replacing=tuple(name for name in operation.input_shape.members if name != "Tags"),
    )
