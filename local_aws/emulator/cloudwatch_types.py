"""AWS::CloudWatch::Alarm and ::Dashboard: recorded, checked by the service's own API model, never evaluated.

ministack has both, but no alarm on a metric expression.
"""

from typing import Any

from botocore.validate import validate_parameters

from local_aws.emulator.resource_types import Created, Properties, ResourceType
from local_aws.emulator.sagemaker_types import generated_name
from local_aws.emulator.shape_casting import cast


def types(cloudwatch: Any) -> list[ResourceType]:  # noqa: ANN401 -- boto3 makes the class at run time
    """Return the two types, backed by a CloudWatch client."""
    return [_alarm(cloudwatch), _dashboard(cloudwatch)]


def _alarm(cloudwatch: Any) -> ResourceType:  # noqa: ANN401 -- as above
    shape = cloudwatch.meta.service_model.operation_model("PutMetricAlarm").input_shape

    def put(name: str, properties: Properties) -> Created:
        parameters = cast(dict(properties) | {"AlarmName": name}, shape)
        validate_parameters(parameters, shape)
        cloudwatch.put_metric_alarm(**parameters)
        (alarm,) = cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"]
        return name, {"Arn": alarm["AlarmArn"]}

    def create(logical_id: str, properties: Properties, stack_name: str) -> Created:
        return put(properties.get("AlarmName") or generated_name(stack_name, logical_id), properties)

    return ResourceType(
        name="AWS::CloudWatch::Alarm",
        create=create,
        update=lambda name, _old, new, _stack_name: put(name, new),
        delete=lambda name, _properties: cloudwatch.delete_alarms(AlarmNames=[name]),
        replacing=("AlarmName",),
    )


def _dashboard(cloudwatch: Any) -> ResourceType:  # noqa: ANN401 -- as above
    def put(name: str, properties: Properties) -> Created:
        cloudwatch.put_dashboard(DashboardName=name, DashboardBody=properties["DashboardBody"])
        return name, {}

    def create(logical_id: str, properties: Properties, stack_name: str) -> Created:
        return put(properties.get("DashboardName") or generated_name(stack_name, logical_id), properties)

    def delete(name: str, _properties: Properties) -> None:
        # A resource whose creation failed has an id of CloudFormation's own: there is nothing to delete.
        if name in {entry["DashboardName"] for entry in cloudwatch.list_dashboards()["DashboardEntries"]}:
            cloudwatch.delete_dashboards(DashboardNames=[name])

    return ResourceType(
        name="AWS::CloudWatch::Dashboard",
        create=create,
        update=lambda name, _old, new, _stack_name: put(name, new),
        delete=delete,
        replacing=("DashboardName",),
        tags=False,
    )
