from collections.abc import Mapping, Sequence
from typing import Final

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from config.instance_type import Accelerator
from constructs_lib.endpoint_metrics import MICROSECONDS, P95
from constructs_lib.endpoint_monitoring import DecisionMonitoring, EndpointMonitoring

_SUM: Final = cloudwatch.Stats.SUM
_AVERAGE: Final = cloudwatch.Stats.AVERAGE
# What SageMaker tells of an endpoint's machines; of processors in percent of one of them.
_MACHINES: Final[Mapping[Accelerator, Mapping[str, str]]] = {
    "cpu": {"CPUUtilization": "CPU", "MemoryUtilization": "memory"},
    "cuda": {"GPUUtilization": "GPU", "GPUMemoryUtilization": "GPU memory", "MemoryUtilization": "memory"},
}
_WIDTH: Final = 8
_HEIGHT: Final = 6


class EnvironmentDashboard(Construct):
    """What an environment does, on one page: which alarms are on, then load, time and faults of each endpoint.

    Attributes:
        dashboard: The CloudWatch dashboard.
    """

    def __init__(
        self, scope: Construct, construct_id: str, *, chat: EndpointMonitoring, decision: DecisionMonitoring
    ) -> None:
        """Create the dashboard.

        Args:
            scope: The parent.
            construct_id: The id below it.
            chat: Alarms and metrics of the chat endpoint.
            decision: Alarms and metrics of the decision endpoint.
        """
        super().__init__(scope, construct_id)
        self.dashboard = cloudwatch.Dashboard(self, "Dashboard", default_interval=cdk.Duration.hours(12))
        alarms = [*decision.alarms, *chat.alarms]
        self.dashboard.add_widgets(cloudwatch.AlarmStatusWidget(title="Alarms", alarms=alarms, width=24, height=4))
        for title, endpoint in (("Decision", decision), ("Chat", chat)):
            text = f"## {title}: {endpoint.metrics.endpoint_name}"
            self.dashboard.add_widgets(cloudwatch.TextWidget(markdown=text, width=24, height=1))
            self.dashboard.add_widgets(*_common(endpoint))
            if isinstance(endpoint, DecisionMonitoring):
                self.dashboard.add_widgets(*_of_decisions(endpoint))


def _common(endpoint: EndpointMonitoring) -> list[cloudwatch.IWidget]:
    of, machines, limits = endpoint.metrics.of_invocations, endpoint.metrics.of_instances, endpoint.thresholds
    requests = [
        of("Invocations", _SUM, label="requests"),
        of("Invocation4XXErrors", _SUM, label="4xx"),
        of("Invocation5XXErrors", _SUM, label="5xx"),
    ]
    latency = [_seconds(of("ModelLatency", P95), "model"), _seconds(of("OverheadLatency", P95), "SageMaker")]
    annotations = [
        cloudwatch.HorizontalAnnotation(value=limits.max_p95_model_latency_seconds, label="alarm, model"),
        cloudwatch.HorizontalAnnotation(value=limits.max_p95_overhead_latency_seconds, label="alarm, SageMaker"),
    ]
    names = _MACHINES[endpoint.hosting.accelerator]
    load = [machines(name, _AVERAGE, label=label) for name, label in names.items()]
    return [
        _graph("Requests in five minutes", requests),
        _graph("p95 latency in seconds", latency, annotations),
        _graph("Machines, %", load),
    ]


def _of_decisions(endpoint: DecisionMonitoring) -> list[cloudwatch.IWidget]:
    of = endpoint.metrics.of_decisions
    faults = [of(name, _SUM) for name in ("Rejections", "DeadlineAborts", "EngineErrors", "BadRequests")]
    time = [of("QueueTime", P95, label="queue"), of("ForwardTime", P95, label="forward pass")]
    worth = [endpoint.share_of_decisions(name) for name in ("LowMass", "LowMargin", "Ties")]
    limit = cloudwatch.HorizontalAnnotation(value=endpoint.thresholds.max_low_mass_share, label="alarm, LowMass")
    amount = [of("Decisions", _SUM), of("InputTokens", _SUM)]
    hits = [of("CacheHits", _AVERAGE, label="state was resident")]
    return [
        _graph("Not answered, in five minutes", faults),
        _graph("p95 seconds of an answer", time),
        _graph("Flagged share of decisions", worth, [limit]),
        _graph("Decisions and tokens in five minutes", amount[:1], right=amount[1:]),
        _graph("Share of requests whose state was resident", hits),
    ]


def _seconds(metric: cloudwatch.Metric, label: str) -> cloudwatch.MathExpression:
    latency = metric.metric_name[0].lower() + metric.metric_name[1:]
    return cloudwatch.MathExpression(
        expression=f"{latency} / {MICROSECONDS}", using_metrics={latency: metric}, period=metric.period, label=label
    )


def _graph(
    title: str,
    left: Sequence[cloudwatch.IMetric],
    annotations: Sequence[cloudwatch.HorizontalAnnotation] = (),
    *,
    right: Sequence[cloudwatch.IMetric] = (),
) -> cloudwatch.IWidget:
    return cloudwatch.GraphWidget(
        title=title,
        left=list(left),
        right=list(right),
        left_annotations=list(annotations),
        left_y_axis=cloudwatch.YAxisProps(min=0, show_units=False),
        right_y_axis=cloudwatch.YAxisProps(min=0, show_units=False),
        width=_WIDTH,
        height=_HEIGHT,
    )
