"""Metrics and dashboard: what is watched exists, and what exists is seen."""

import re
from pathlib import Path

import pytest

from semif.metrics import NAMESPACE, embedded
from semif.request_record import RequestRecord
from tests.template.monitoring import ALARM, watched_in, widgets_of
from tests.template.synthesis import ENVIRONMENTS, Template, template

DOCUMENT = (Path(__file__).parents[2] / "docs" / "operations.md").read_text("utf-8")
# Names that SageMaker documents.
# https://docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html
SAGEMAKER = {
    "AWS/SageMaker": {
        "Invocations",
        "Invocation4XXErrors",
        "Invocation5XXErrors",
        "InvocationModelErrors",
        "ModelLatency",
        "OverheadLatency",
    },
    "/aws/sagemaker/Endpoints": {"CPUUtilization", "MemoryUtilization", "GPUUtilization", "GPUMemoryUtilization"},
}


@pytest.fixture(params=ENVIRONMENTS)
def monitoring(request: pytest.FixtureRequest) -> tuple[str, Template]:
    """Environment and template of each monitoring stack."""
    return request.param, template(request.param, "monitoring")


def _emitted() -> dict[str, set[tuple[str, ...]]]:
    """Return the dimension sets of every metric that the container writes, whatever becomes of a request."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for record in (
        RequestRecord(status=200),
        RequestRecord(status=503, reason="deadline"),
        RequestRecord(status=500),
        RequestRecord(status=400, code="x"),
    ):
        (directive,) = embedded(record, "e")["_aws"]["CloudWatchMetrics"]  # type: ignore[index] # any JSON
        assert directive["Namespace"] == NAMESPACE
        for metric in directive["Metrics"]:
            found.setdefault(metric["Name"], set()).update(map(tuple, directive["Dimensions"]))
    return found


@pytest.mark.rule(
    "Every alarm and graph is on a metric that the container writes or SageMaker documents",
    tool="the container's own code",
    emulated="",
)
def test_every_watched_metric_is_one_that_is_emitted(monitoring: tuple[str, Template]) -> None:
    """Namespace, name and dimensions are the container's or SageMaker's, of one of the two endpoints."""
    environment, content = monitoring
    emitted = _emitted()
    watched = watched_in(content)

    assert {namespace for namespace, _, _ in watched} == {NAMESPACE, *SAGEMAKER}
    for namespace, name, dimensions in watched:
        if namespace == NAMESPACE:
            assert tuple(key for key, _ in dimensions) in emitted[name]
            assert dict(dimensions) == {"EndpointName": f"semif-{environment}-decision"}
        else:
            assert name in SAGEMAKER[namespace]
            assert dict(dimensions)["VariantName"] == "AllTraffic"
            assert dict(dimensions)["EndpointName"] in {
                f"semif-{environment}-{stack}" for stack in ("chat", "decision")
            }


def test_every_metric_of_the_container_is_documented_and_watched() -> None:
    """The document's table lists what the code writes, and a person sees each on the dashboard or is told."""
    section = DOCUMENT.split("## Metrics\n", 1)[1].split("\n## ", 1)[0]
    documented = {
        name for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }

    assert documented == set(_emitted())
    assert {
        name for namespace, name, _ in watched_in(template("prod", "monitoring")) if namespace == NAMESPACE
    } == documented


def test_monitoring_refers_to_no_endpoint(monitoring: tuple[str, Template]) -> None:
    """It needs the key alone, so thresholds change and the stack goes without touching an endpoint."""
    environment, content = monitoring

    assert set(re.findall(r"'Fn::ImportValue': '([\w-]+)'", str(content.content))) == {
        f"semif-{environment}-artifact-KeyArn"
    }


def test_dashboard_shows_every_alarm_first_and_then_each_endpoint(monitoring: tuple[str, Template]) -> None:
    """One row of alarm states, then a heading and graphs for each endpoint, none wider than the page."""
    environment, content = monitoring
    first, *rest = widgets_of(content)
    headings = [each["properties"]["markdown"] for each in rest if each["type"] == "text"]

    assert first["type"] == "alarm"
    assert set(first["properties"]["alarms"]) == {f"<{name}.Arn>" for name in content.of_type(ALARM)}
    assert headings == [f"## {title}: semif-{environment}-{title.lower()}" for title in ("Decision", "Chat")]
    for widget in rest:
        assert widget["x"] + widget["width"] <= 24
        assert widget["type"] == "text" or widget["properties"]["title"]


@pytest.mark.parametrize(("environment", "shown"), [("dev", "CPUUtilization"), ("prod", "GPUUtilization")])
def test_machines_are_shown_by_what_they_compute_with(environment: str, shown: str) -> None:
    """A GPU endpoint's processor says little about its load."""
    watched = {
        name
        for _, name, dimensions in watched_in(template(environment, "monitoring"))
        if ("EndpointName", f"semif-{environment}-decision") in dimensions
    }

    assert {name for name in watched if name in ("CPUUtilization", "GPUUtilization")} == {shown}
