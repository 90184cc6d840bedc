"""Alarms: what they say is documented, when they change is the settings', and whom they tell is bounded."""

import fnmatch
import json
import re
from pathlib import Path

import pytest

from constructs_lib.alarm_texts import TEXTS
from tests.template.monitoring import alarms_of
from tests.template.synthesis import ENVIRONMENTS, Template, assembly, flat, settings_of, template

DOCUMENT = (Path(__file__).parents[2] / "docs" / "operations.md").read_text("utf-8")


@pytest.fixture(params=ENVIRONMENTS)
def monitoring(request: pytest.FixtureRequest) -> tuple[str, Template]:
    """Environment and template of each monitoring stack."""
    return request.param, template(request.param, "monitoring")


def _rows() -> dict[str, tuple[str, str]]:
    section = DOCUMENT.split("## Being told\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `(\w+)` \| .+? \| (.+?) \| (.+?) \|$", section, re.MULTILINE)
    return {name: (meaning, first) for name, meaning, first in rows}


def test_every_alarm_says_what_the_document_says(monitoring: tuple[str, Template]) -> None:
    """Meaning and first action are in the alarm's description, word for word, and no alarm is undocumented."""
    _, content = monitoring
    rows = _rows()

    assert set(rows) == set(TEXTS)
    for name, alarm in alarms_of(content).items():
        meaning, first = rows[re.sub("^(Chat|Decision)", "", name)]
        assert alarm["AlarmDescription"] == f"{meaning} First: {first}"


def test_both_endpoints_have_the_common_alarms_and_decisions_their_own(monitoring: tuple[str, Template]) -> None:
    """Faults, latencies and silence are watched on both; what only the container knows on one."""
    _, content = monitoring
    common = {"ServerErrors", "ModelLatency", "OverheadLatency", "NoHealthyInvocations"}
    own = {"Rejections", "EngineErrors", "DeadlineAborts", "LowMass"}

    assert set(alarms_of(content)) == {f"Chat{name}" for name in common} | {f"Decision{name}" for name in common | own}


def test_thresholds_are_the_settings_in_the_metric_s_unit(monitoring: tuple[str, Template]) -> None:
    """Latencies are microseconds to SageMaker, shares are averages of zeros and ones, counts are sums."""
    environment, content = monitoring
    settings, alarms = settings_of(environment).monitoring, alarms_of(content)

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

    for alarm in alarms_of(content).values():
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
