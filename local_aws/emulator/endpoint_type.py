"""AWS::SageMaker::Endpoint: complete only when the container's process answers, and replaced only by one that does."""

from typing import Any

from botocore.exceptions import ClientError
from botocore.validate import validate_parameters

from local_aws.emulator.endpoint_fleet import EndpointFleet
from local_aws.emulator.resource_types import Created, Properties, ResourceType
from local_aws.emulator.sagemaker_types import generated_name
from local_aws.emulator.scaled_variants import refuse_other_machines
from local_aws.emulator.shape_casting import cast


def endpoint_type(sagemaker: Any, scaling: Any, fleet: EndpointFleet) -> ResourceType:  # noqa: ANN401 -- boto3 makes the classes
    """Return the type, backed by clients of SageMaker and its scaling for records, by the fleet for processes."""
    model = sagemaker.meta.service_model
    create_shape = model.operation_model("CreateEndpoint").input_shape
    update_shape = model.operation_model("UpdateEndpoint").input_shape
    update_only = set(update_shape.members) - set(create_shape.members)

    def create(logical_id: str, properties: Properties, stack_name: str) -> Created:
        name = properties.get("EndpointName") or generated_name(stack_name, logical_id)
        parameters = {key: value for key, value in properties.items() if key not in update_only}
        parameters = cast(parameters | {"EndpointName": name}, create_shape)
        validate_parameters(parameters, create_shape)
        replacement = fleet.start(name, parameters["EndpointConfigName"])
        try:
            arn: str = sagemaker.create_endpoint(**parameters)["EndpointArn"]
        except ClientError:
            replacement.stop()
            raise
        fleet.put_in_service(name, replacement)
        return arn, {"EndpointName": name}

    def update(arn: str, old: Properties, new: Properties, _stack_name: str) -> Created:
        name = arn.rsplit("/", 1)[-1]
        parameters = {key: value for key, value in new.items() if key != "Tags"}
        parameters = cast(parameters | {"EndpointName": name}, update_shape)
        validate_parameters(parameters, update_shape)
        if old.get("EndpointConfigName") != new.get("EndpointConfigName"):
            refuse_other_machines(sagemaker, scaling, name, parameters["EndpointConfigName"])
            # The process in service keeps answering until the other one is healthy, and stays if it never is.
            replacement = fleet.start(name, parameters["EndpointConfigName"])
            try:
                sagemaker.update_endpoint(**parameters)
            except ClientError:
                replacement.stop()
                raise
            fleet.put_in_service(name, replacement)
        return arn, {"EndpointName": name}

    def delete(arn: str, _properties: Properties) -> None:
        try:
            sagemaker.delete_endpoint(EndpointName=arn.rsplit("/", 1)[-1])
        except ClientError as error:
            # A resource whose creation failed has an id of CloudFormation's own: there is nothing to delete.
            if "Could not find" not in str(error):
                raise

    return ResourceType(
        name="AWS::SageMaker::Endpoint", create=create, update=update, delete=delete, replacing=("EndpointName",)
    )
