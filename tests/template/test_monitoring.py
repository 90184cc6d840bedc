"""Alarms, topic and dashboard: what they watch exists, what they say is documented, and whom they tell is bounded."""

import fnmatch
import json
import re
from pathlib import Path
from typing import Any

import pytest

from constructs_lib.alarm_texts import TEXTS
from semif.metrics import NAMESPACE, embedded
from semif.request_record import RequestRecord
from tests.template.synthesis import ENVIRONMENTS, Template, assembly, flat, settings_of, template

DOCUMENT = (Path(__file__).parents[2] / "docs" / "operations.md").read_text("utf-8")
ALARM, DASHBOARD = "AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard"
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


def _alarms(content: Template) -> dict[str, dict[str, Any]]:
    """Return the alarms by endpoint and name, such as DecisionLowMass."""
    return {re.sub(r"[0-9A-F]{8}$", "", name): each["Properties"] for name, each in content.of_type(ALARM).items()}


def _of_alarm(alarm: dict[str, Any]) -> list[dict[str, Any]]:
    inner = [each["MetricStat"]["Metric"] for each in alarm.get("Metrics", []) if "MetricStat" in each]
    return inner or [alarm]


def _watched(content: Template) -> set[tuple[str, str, tuple[tuple[str, str], ...]]]:
    """Return namespace, name and dimensions of every metric in alarms and on the dashboard."""
    found = {
        (each["Namespace"], each["MetricName"], tuple((pair["Name"], pair["Value"]) for pair in each["Dimensions"]))
        for alarm in _alarms(content).values()
        for each in _of_alarm(alarm)
    }
    for widget in _widgets(content):
        for entry in widget["properties"].get("metrics", []):
            words = [part for part in entry if isinstance(part, str)]
            if words:  # expressions and references to the metric before have none
                found.add((words[0], words[1], tuple(zip(words[2::2], words[3::2], strict=True))))
    return found


def _widgets(content: Template) -> list[dict[str, Any]]:
    _, properties = content.only(DASHBOARD)
    widgets: list[dict[str, Any]] = json.loads(flat(properties["DashboardBody"]))["widgets"]
    return widgets


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
    watched = _watched(content)

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
        name for namespace, name, _ in _watched(template("prod", "monitoring")) if namespace == NAMESPACE
    } == documented


def _rows() -> dict[str, tuple[str, str]]:
    section = DOCUMENT.split("## Being told\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `(\w+)` \| .+? \| (.+?) \| (.+?) \|$", section, re.MULTILINE)
    return {name: (meaning, first) for name, meaning, first in rows}


def test_every_alarm_says_what_the_document_says(monitoring: tuple[str, Template]) -> None:
    """Meaning and first action are in the alarm's description, word for word, and no alarm is undocumented."""
    _, content = monitoring
    rows = _rows()

    assert set(rows) == set(TEXTS)
    for name, alarm in _alarms(content).items():
        meaning, first = rows[re.sub("^(Chat|Decision)", "", name)]
        assert alarm["AlarmDescription"] == f"{meaning} First: {first}"


def test_both_endpoints_have_the_common_alarms_and_decisions_their_own(monitoring: tuple[str, Template]) -> None:
    """Faults, latencies and silence are watched on both; what only the container knows on one."""
    _, content = monitoring
    common = {"ServerErrors", "ModelLatency", "OverheadLatency", "NoHealthyInvocations"}
    own = {"Rejections", "EngineErrors", "DeadlineAborts", "LowMass"}

    assert set(_alarms(content)) == {f"Chat{name}" for name in common} | {f"Decision{name}" for name in common | own}


def test_thresholds_are_the_settings_in_the_metric_s_unit(monitoring: tuple[str, Template]) -> None:
    """Latencies are microseconds to SageMaker, shares are averages of zeros and ones, counts are sums."""
    environment, content = monitoring
    settings, alarms = settings_of(environment).monitoring, _alarms(content)

    assert alarms["ChatModelLatency"]["Threshold"] == settings.chat.max_p95_model_latency_seconds * 1_000_000
    assert alarms["DecisionOverheadLatency"]["Threshold"] == 1_000_000
    assert alarms["DecisionModelLatency"]["ExtendedStatistic"] == "p95"
    assert (alarms["ChatServerErrors"]["Statistic"], alarms["ChatServerErrors"]["Threshold"]) == ("Average", 0.05)
    assert (alarms["DecisionRejections"]["Statistic"], alarms["DecisionRejections"]["Threshold"]) == ("Sum", 20)
    healthy = alarms["ChatNoHealthyInvocations"]
    assert (healthy["MetricName"], healthy["Statistic"], healthy["Threshold"], healthy["ComparisonOperator"]) == (
        "InvocationModelErrors",
        "Average",
        1,
        "GreaterThanOrEqualToThreshold",
    )
    share = alarms["DecisionLowMass"]
    assert share["Threshold"] == settings.decision.max_low_mass_share
    assert [each.get("Expression") for each in share["Metrics"]] == ["lowMass / decisions", None, None]


def test_silence_is_no_alarm_and_every_alarm_tells_its_begin_and_end(monitoring: tuple[str, Template]) -> None:
    """Where nobody asks nothing is wrong; the topic hears of both changes."""
    _, content = monitoring
    topic, _ = content.only("AWS::SNS::Topic")

    for alarm in _alarms(content).values():
        assert alarm["TreatMissingData"] == "notBreaching"
        assert alarm["AlarmActions"] == alarm["OKActions"] == [{"Ref": topic}]
        assert "AlarmName" not in alarm


@pytest.mark.rule("Alarms are told through an encrypted topic that nobody else may publish to", tool="CDK", emulated="")
def test_topic_is_encrypted_and_only_alarms_of_this_environment_publish(monitoring: tuple[str, Template]) -> None:
    """CloudWatch may, for alarms of this account and name, and nobody may without TLS."""
    environment, content = monitoring
    topic, properties = content.only("AWS::SNS::Topic")
    statements = content.only("AWS::SNS::TopicPolicy")[1]["PolicyDocument"]["Statement"]
    allowed = [each for each in statements if each["Effect"] == "Allow"]
    denied = [each for each in statements if each["Effect"] == "Deny"]

    assert flat(properties["KmsMasterKeyId"]) == f"<semif-{environment}-artifact-KeyArn>"
    (publish,) = allowed
    assert (publish["Action"], publish["Resource"]) == ("sns:Publish", {"Ref": topic})
    assert publish["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert flat(publish["Condition"]["ArnLike"]["aws:SourceArn"]).endswith(f":alarm:semif-{environment}-*")
    assert publish["Condition"]["StringEquals"]["aws:SourceAccount"]
    assert [each["Condition"] for each in denied] == [{"Bool": {"aws:SecureTransport": "false"}}]


def test_monitoring_refers_to_no_endpoint(monitoring: tuple[str, Template]) -> None:
    """It needs the key alone, so thresholds change and the stack goes without touching an endpoint."""
    environment, content = monitoring

    assert set(re.findall(r"'Fn::ImportValue': '([\w-]+)'", str(content.content))) == {
        f"semif-{environment}-artifact-KeyArn"
    }


def test_dashboard_shows_every_alarm_first_and_then_each_endpoint(monitoring: tuple[str, Template]) -> None:
    """One row of alarm states, then a heading and graphs for each endpoint, none wider than the page."""
    environment, content = monitoring
    first, *rest = _widgets(content)
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
        for _, name, dimensions in _watched(template(environment, "monitoring"))
        if ("EndpointName", f"semif-{environment}-decision") in dimensions
    }

    assert {name for name in watched if name in ("CPUUtilization", "GPUUtilization")} == {shown}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_generated_names_of_alarms_are_those_the_key_and_topic_admit(environment: str) -> None:
    """CloudFormation begins a generated name with its stack's, and the conditions of key and topic ask for that."""
    manifest = json.loads((assembly(environment) / "manifest.json").read_text("utf-8"))["artifacts"]
    (stack,) = [name for name in manifest if name.endswith("-monitoring")]
    name = manifest[stack]["properties"].get("stackName", stack)
    _, key = template(environment, "artifact").only("AWS::KMS::Key")
    statements = [
        *key["KeyPolicy"]["Statement"],
        *template(environment, "monitoring").only("AWS::SNS::TopicPolicy")[1]["PolicyDocument"]["Statement"],
    ]
    patterns = [
        flat(each["Condition"]["ArnLike"]["aws:SourceArn"]).rpartition(":")[2]
        for each in statements
        if each["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    ]

    assert len(patterns) == 2
    for pattern in patterns:
        assert fnmatch.fnmatchcase(f"{name}-DecisionLowMass1A2B3C4D-x", pattern)
        assert not fnmatch.fnmatchcase("semif-elsewhere-monitoring-DecisionLowMass1A2B3C4D-x", pattern)
