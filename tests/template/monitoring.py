"""What an environment's monitoring stack holds: its alarms, its dashboard, and the metrics that both watch."""

import json
import re
from typing import Any

from tests.template.synthesis import Template, flat

ALARM, DASHBOARD = "AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard"


def alarms_of(content: Template) -> dict[str, dict[str, Any]]:
    """Return the alarms by endpoint and name, such as DecisionLowMass."""
    return {re.sub(r"[0-9A-F]{8}$", "", name): each["Properties"] for name, each in content.of_type(ALARM).items()}


def _of_alarm(alarm: dict[str, Any]) -> list[dict[str, Any]]:
    inner = [each["MetricStat"]["Metric"] for each in alarm.get("Metrics", []) if "MetricStat" in each]
    return inner or [alarm]


def watched_in(content: Template) -> set[tuple[str, str, tuple[tuple[str, str], ...]]]:
    """Return namespace, name and dimensions of every metric in alarms and on the dashboard."""
    found = {
        (each["Namespace"], each["MetricName"], tuple((pair["Name"], pair["Value"]) for pair in each["Dimensions"]))
        for alarm in alarms_of(content).values()
        for each in _of_alarm(alarm)
    }
    for widget in widgets_of(content):
        for entry in widget["properties"].get("metrics", []):
            words = [part for part in entry if isinstance(part, str)]
            if words:  # expressions and references to the metric before have none
                found.add((words[0], words[1], tuple(zip(words[2::2], words[3::2], strict=True))))
    return found


def widgets_of(content: Template) -> list[dict[str, Any]]:
    """Return what the dashboard shows, in its order."""
    _, properties = content.only(DASHBOARD)
    widgets: list[dict[str, Any]] = json.loads(flat(properties["DashboardBody"]))["widgets"]
    return widgets
