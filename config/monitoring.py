"""When somebody is told: the thresholds of an environment's alarms."""

from typing import Annotated

from pydantic import Field

from config.values import Share, Table

# InvokeEndpoint is cut at 60 s: a latency above cannot be seen.
LatencySeconds = Annotated[float, Field(gt=0, le=60)]
CountInFiveMinutes = Annotated[int, Field(ge=0)]


class EndpointThresholds(Table):
    """What both endpoints may do without an alarm; latencies in seconds, shares of all invocations."""

    max_server_error_share: Share
    max_p95_model_latency_seconds: LatencySeconds
    max_p95_overhead_latency_seconds: LatencySeconds


class DecisionThresholds(EndpointThresholds):
    """What the decision endpoint may do besides; counts in five minutes, a share of all decisions."""

    max_rejections: CountInFiveMinutes
    max_engine_errors: CountInFiveMinutes
    max_deadline_aborts: CountInFiveMinutes
    max_low_mass_share: Share


class Monitoring(Table):
    """The thresholds of both endpoints."""

    chat: EndpointThresholds
    decision: DecisionThresholds
