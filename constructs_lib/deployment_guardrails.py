from typing import Final

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from config.guardrails import AllAtOnce, Canary, Guardrails, Linear, Rolling
from constructs_lib.endpoint_metrics import MICROSECONDS, P95, EndpointMetrics
from constructs_lib.inference_endpoint import InferenceEndpoint

_MINUTE: Final = cdk.Duration.minutes(1)
_ABOVE: Final = cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD
# A minute without requests, or before the endpoint exists, is no reason to roll back.
_MISSING: Final = cloudwatch.TreatMissingData.NOT_BREACHING


class DeploymentGuardrails(Construct):
    """How an endpoint's new fleet takes over, and the two alarms that take it back: engine errors and p95 latency.

    Client errors are not among them: SageMaker counts every 4xx among the model's errors, so that one caller's mistake
    could roll back a deployment. The alarms name the endpoint and exist before it; the endpoint refers to them.

    Attributes:
        alarms: The rollback alarms.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint: InferenceEndpoint,
        engine_errors: cloudwatch.Metric,
        guardrails: Guardrails,
    ) -> None:
        """Create the alarms and set the endpoint's deployment configuration.

        Args:
            scope: The parent.
            construct_id: The id below it.
            endpoint: The endpoint.
            engine_errors: Counts the requests that failed by the engine's fault.
            guardrails: Strategy, waits and thresholds.
        """
        super().__init__(scope, construct_id)
        metrics = EndpointMetrics(endpoint.endpoint_name, _MINUTE)
        latency = metrics.of_invocations("ModelLatency", P95)
        seconds = guardrails.max_p95_model_latency_seconds
        self.alarms = (
            cloudwatch.Alarm(
                self,
                "EngineErrors",
                metric=engine_errors.with_(period=_MINUTE, statistic=cloudwatch.Stats.SUM),
                threshold=guardrails.max_engine_errors,
                evaluation_periods=1,
                comparison_operator=_ABOVE,
                treat_missing_data=_MISSING,
                alarm_description="Rolls back a deployment: the engine failed requests. Not for people.",
            ),
            cloudwatch.Alarm(
                self,
                "ModelLatency",
                metric=latency,
                threshold=round(seconds * MICROSECONDS),
                evaluation_periods=3,
                datapoints_to_alarm=2,
                comparison_operator=_ABOVE,
                treat_missing_data=_MISSING,
                alarm_description=f"Rolls back a deployment: p95 latency is above {seconds:g} s. Not for people.",
            ),
        )
        # Asked for by SageMaker's documentation of the rollback.
        # https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails-configuration.html
        arns = [alarm.alarm_arn for alarm in self.alarms]
        endpoint.role.add_to_policy(iam.PolicyStatement(actions=["cloudwatch:DescribeAlarms"], resources=arns))
        rollback = sagemaker.CfnEndpoint.AutoRollbackConfigProperty(
            alarms=[sagemaker.CfnEndpoint.AlarmProperty(alarm_name=alarm.alarm_name) for alarm in self.alarms]
        )
        endpoint.endpoint.deployment_config = _update_policy(guardrails, rollback)


def _update_policy(
    guardrails: Guardrails, rollback: sagemaker.CfnEndpoint.AutoRollbackConfigProperty
) -> sagemaker.CfnEndpoint.DeploymentConfigProperty:
    timeout = guardrails.maximum_execution_timeout_seconds
    if isinstance(guardrails, Rolling):
        return sagemaker.CfnEndpoint.DeploymentConfigProperty(
            auto_rollback_configuration=rollback,
            rolling_update_policy=sagemaker.CfnEndpoint.RollingUpdatePolicyProperty(
                maximum_batch_size=_share(guardrails.batch_percent),
                wait_interval_in_seconds=guardrails.wait_interval_seconds,
                maximum_execution_timeout_in_seconds=timeout,
            ),
        )
    return sagemaker.CfnEndpoint.DeploymentConfigProperty(
        auto_rollback_configuration=rollback,
        blue_green_update_policy=sagemaker.CfnEndpoint.BlueGreenUpdatePolicyProperty(
            traffic_routing_configuration=_routing(guardrails),
            termination_wait_in_seconds=guardrails.termination_wait_seconds,
            maximum_execution_timeout_in_seconds=timeout,
        ),
    )


def _routing(guardrails: AllAtOnce | Canary | Linear) -> sagemaker.CfnEndpoint.TrafficRoutingConfigProperty:
    match guardrails:
        case AllAtOnce():
            # The API wants an interval here too; the bake is the wait before the old fleet is terminated.
            return sagemaker.CfnEndpoint.TrafficRoutingConfigProperty(type="ALL_AT_ONCE", wait_interval_in_seconds=0)
        case Canary():
            return sagemaker.CfnEndpoint.TrafficRoutingConfigProperty(
                type="CANARY",
                canary_size=_share(guardrails.batch_percent),
                wait_interval_in_seconds=guardrails.wait_interval_seconds,
            )
        case Linear():
            return sagemaker.CfnEndpoint.TrafficRoutingConfigProperty(
                type="LINEAR",
                linear_step_size=_share(guardrails.batch_percent),
                wait_interval_in_seconds=guardrails.wait_interval_seconds,
            )


def _share(percent: int) -> sagemaker.CfnEndpoint.CapacitySizeProperty:
    return sagemaker.CfnEndpoint.CapacitySizeProperty(type="CAPACITY_PERCENT", value=percent)
