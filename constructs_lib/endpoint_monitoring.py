from typing import Final

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_sns as sns
from constructs import Construct

from config.hosting import Hosting
from config.monitoring import DecisionThresholds, EndpointThresholds
from constructs_lib.alarm_texts import TEXTS
from constructs_lib.endpoint_metrics import MICROSECONDS, P95, EndpointMetrics

_SUM: Final = cloudwatch.Stats.SUM
_AVERAGE: Final = cloudwatch.Stats.AVERAGE


class EndpointMonitoring(Construct):
    """The alarms of an endpoint, told to people; it names the endpoint, which need not exist.

    Attributes:
        hosting: What the settings say of it.
        metrics: The endpoint's metrics.
        thresholds: What it may do without an alarm.
        alarms: The alarms.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        hosting: Hosting,
        thresholds: EndpointThresholds,
        topic: sns.ITopic,
    ) -> None:
        """Create the alarms that both kinds of endpoint have.

        Args:
            scope: The parent.
            construct_id: The id below it.
            hosting: The endpoint's name, and what its machines compute with.
            thresholds: When the alarms go off.
            topic: Who is told that one goes off, and that it is over.
        """
        super().__init__(scope, construct_id)
        self.hosting = hosting
        self.metrics = EndpointMetrics(hosting.endpoint_name)
        self.thresholds = thresholds
        self.alarms: list[cloudwatch.Alarm] = []
        self._action = actions.SnsAction(topic)
        invocations = self.metrics.of_invocations
        # Each request counts 0 or 1: the average is a share.
        self._alarm("ServerErrors", invocations("Invocation5XXErrors", _AVERAGE), thresholds.max_server_error_share)
        for name, seconds in (
            ("ModelLatency", thresholds.max_p95_model_latency_seconds),
            ("OverheadLatency", thresholds.max_p95_overhead_latency_seconds),
        ):
            self._alarm(name, invocations(name, P95), round(seconds * MICROSECONDS))
        self._alarm(
            "NoHealthyInvocations",
            invocations("InvocationModelErrors", _AVERAGE),
            1,
            datapoints=(2, 2),
            comparison=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        )

    def _alarm(
        self,
        construct_id: str,
        metric: cloudwatch.IMetric,
        threshold: float,
        *,
        datapoints: tuple[int, int] = (2, 3),
        comparison: cloudwatch.ComparisonOperator = cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
    ) -> None:
        """Create an alarm that goes off where so many of so many periods are beyond the threshold."""
        alarm = cloudwatch.Alarm(
            self,
            construct_id,
            metric=metric,
            threshold=threshold,
            datapoints_to_alarm=datapoints[0],
            evaluation_periods=datapoints[1],
            comparison_operator=comparison,
            # Nobody asked: nothing is wrong.
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
            alarm_description=str(TEXTS[construct_id]),
        )
        alarm.add_alarm_action(self._action)
        alarm.add_ok_action(self._action)
        self.alarms.append(alarm)


class DecisionMonitoring(EndpointMonitoring):
    """The alarms of the decision endpoint, which tells more about itself."""

    thresholds: DecisionThresholds

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        hosting: Hosting,
        thresholds: DecisionThresholds,
        topic: sns.ITopic,
    ) -> None:
        """Create the common alarms and those on what the container writes, with the arguments of every endpoint."""
        super().__init__(scope, construct_id, hosting=hosting, thresholds=thresholds, topic=topic)
        decisions = self.metrics.of_decisions
        self._alarm("Rejections", decisions("Rejections", _SUM), thresholds.max_rejections)
        at_once = (1, 1)
        self._alarm("EngineErrors", decisions("EngineErrors", _SUM), thresholds.max_engine_errors, datapoints=at_once)
        aborts = decisions("DeadlineAborts", _SUM)
        self._alarm("DeadlineAborts", aborts, thresholds.max_deadline_aborts, datapoints=at_once)
        self._alarm("LowMass", self.share_of_decisions("LowMass"), thresholds.max_low_mass_share)

    def share_of_decisions(self, name: str) -> cloudwatch.MathExpression:
        """Return how many of all decisions a count is, from 0 to 1."""
        count = name[0].lower() + name[1:]
        return cloudwatch.MathExpression(
            expression=f"{count} / decisions",
            using_metrics={
                count: self.metrics.of_decisions(name, _SUM),
                "decisions": self.metrics.of_decisions("Decisions", _SUM),
            },
            period=self.metrics.period,
            label=name,
        )
