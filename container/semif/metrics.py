"""A request's metrics as the members that CloudWatch's embedded metric format adds to its log line."""

import time

from semif.request_record import RequestRecord

NAMESPACE = "SemIf/Decision"
_UNITS = {"QueueTime": "Seconds", "ForwardTime": "Seconds"}  # everything else is a count


def embedded(record: RequestRecord, endpoint_name: str) -> dict[str, object]:
    """The metrics of one answered or refused request, under the endpoint's name."""
    values: dict[str, float] = {}
    dimensions = [["EndpointName"]]
    why: dict[str, str] = {}
    if record.status == 200:  # noqa: PLR2004 - HTTP's own number
        values = {
            "Decisions": record.decisions or 0,
            "InputTokens": record.input_tokens or 0,
            "QueueTime": record.queue_seconds or 0.0,
            "ForwardTime": (record.prefill_seconds or 0.0) + (record.suffix_seconds or 0.0),
            "CacheHits": int(bool(record.resident)),
            "LowMass": record.low_mass or 0,
            "LowMargin": record.low_margin or 0,
            "Ties": record.ties or 0,
        }
    elif record.status == 503:  # noqa: PLR2004
        why = {"Reason": record.reason or "unknown"}
        values = {"DeadlineAborts": 1} if record.reason == "deadline" else {}
        values["Rejections"] = 1
    elif record.status == 500:  # noqa: PLR2004
        values = {"EngineErrors": 1}
    else:
        why = {"Code": record.code or "unknown"}
        values = {"BadRequests": 1}
    if why:
        dimensions.append(["EndpointName", *why])
    metrics = [{"Name": name, "Unit": _UNITS.get(name, "Count")} for name in values]
    directive = {"Namespace": NAMESPACE, "Dimensions": dimensions, "Metrics": metrics}
    block = {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": [directive]}
    return {"_aws": block, "EndpointName": endpoint_name, **why, **values}
