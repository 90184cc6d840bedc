from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch

from constructs_lib.production_variant import VARIANT_NAME

# Metrics about requests, by SageMaker; latencies in microseconds.
# https://docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html
INVOCATIONS_NAMESPACE = "AWS/SageMaker"
INSTANCES_NAMESPACE = "/aws/sagemaker/Endpoints"
# What the decision container writes into its log lines.
DECISION_NAMESPACE = "SemIf/Decision"
MICROSECONDS = 1_000_000
P95 = cloudwatch.Stats.percentile(95)
PERIOD = cdk.Duration.minutes(5)


@dataclass(frozen=True)
class EndpointMetrics:
    """The metrics of an endpoint, which is named and not referred to: an alarm may exist before it."""

    endpoint_name: str
    period: cdk.Duration = PERIOD

    def of_invocations(self, name: str, statistic: str, *, label: str | None = None) -> cloudwatch.Metric:
        """Return one of SageMaker's metrics about requests."""
        return self._of_variant(INVOCATIONS_NAMESPACE, name, statistic, label)

    def of_instances(self, name: str, statistic: str, *, label: str | None = None) -> cloudwatch.Metric:
        """Return one of SageMaker's metrics about the machines."""
        return self._of_variant(INSTANCES_NAMESPACE, name, statistic, label)

    def of_decisions(self, name: str, statistic: str, *, label: str | None = None) -> cloudwatch.Metric:
        """Return one of the decision container's own metrics."""
        return cloudwatch.Metric(
            namespace=DECISION_NAMESPACE,
            metric_name=name,
            dimensions_map={"EndpointName": self.endpoint_name},
            statistic=statistic,
            period=self.period,
            label=label,
        )

    def _of_variant(self, namespace: str, name: str, statistic: str, label: str | None) -> cloudwatch.Metric:
        return cloudwatch.Metric(
            namespace=namespace,
            metric_name=name,
            dimensions_map={"EndpointName": self.endpoint_name, "VariantName": VARIANT_NAME},
            statistic=statistic,
            period=self.period,
            label=label,
        )
