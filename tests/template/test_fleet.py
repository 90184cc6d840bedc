"""How a fleet scales and is replaced, as the templates say it."""

import subprocess
from typing import Any

import pytest

from tests.template.synthesis import STACKS, Template, all_templates, flat, template
from tests.template.variants import STRATEGIES, everything, variant

ENDPOINT = "AWS::SageMaker::Endpoint"


def _depends_on(content: Template, name: str) -> set[str]:
    """Return everything that a resource waits for, at once or by way of others."""
    names: set[str] = set()
    found = [name]
    while found:
        resource = content.resources[found.pop()]
        direct = {*resource.get("DependsOn", []), *_referred(resource.get("Properties", {}))} & set(content.resources)
        found += direct - names
        names |= direct
    return names


def _referred(value: Any) -> set[str]:
    match value:
        case {"Ref": str(name)}:
            return {name}
        case {"Fn::GetAtt": [str(name), _]}:
            return {name}
        case dict():
            return set().union(*map(_referred, value.values()))
        case list():
            return set().union(*map(_referred, value))
    return set()


def test_scaling_comes_after_the_endpoint_and_names_its_variant() -> None:
    """A target can be registered only for a variant that exists, and is taken off before it goes."""
    content = variant("canary", "decision")
    endpoint, _ = content.only(ENDPOINT)
    (resource,) = content.of_type("AWS::ApplicationAutoScaling::ScalableTarget").values()
    variant_name = content.only("AWS::SageMaker::EndpointConfig")[1]["ProductionVariants"][0]["VariantName"]

    assert endpoint in resource["DependsOn"]
    target = resource["Properties"]
    assert flat(target["ResourceId"]) == f"endpoint/<{endpoint}.EndpointName>/variant/{variant_name}"
    assert (target["MinCapacity"], target["MaxCapacity"]) == (2, 4)


def test_scaling_tracks_what_the_settings_say() -> None:
    """The metric is the service's name for the setting's."""
    content = variant("canary", "decision")
    target, _ = content.only("AWS::ApplicationAutoScaling::ScalableTarget")
    _, policy = content.only("AWS::ApplicationAutoScaling::ScalingPolicy")

    assert policy["ScalingTargetId"] == {"Ref": target}
    assert policy["TargetTrackingScalingPolicyConfiguration"] == {
        "PredefinedMetricSpecification": {
            "PredefinedMetricType": "SageMakerVariantConcurrentRequestsPerModelHighResolution"
        },
        "TargetValue": 3,
        "ScaleInCooldown": 600,
        "ScaleOutCooldown": 60,
    }


@pytest.mark.rule("A deployment leaves a scaled fleet its size", tool="CDK", emulated="")
def test_only_a_scaled_endpoint_keeps_its_variant_s_properties() -> None:
    """Without it every deployment would set the fleet back; without scaling the settings' count is meant."""
    for _, stack, content in (*all_templates(), ("", "decision", variant("canary", "decision"))):
        if stack not in ("chat", "decision"):
            continue
        scaled = bool(content.of_type("AWS::ApplicationAutoScaling::ScalableTarget"))

        assert content.only(ENDPOINT)[1].get("RetainAllVariantProperties", False) == scaled


def test_each_strategy_is_the_service_s_own() -> None:
    """Batches are shares of the fleet; the wait of all-at-once is that before the old fleet is terminated."""
    half = {"Type": "CAPACITY_PERCENT", "Value": 50}
    found = {name: variant(name, "decision").only(ENDPOINT)[1]["DeploymentConfig"] for name in STRATEGIES}
    at_once = template("prod", "decision").only(ENDPOINT)[1]["DeploymentConfig"]["BlueGreenUpdatePolicy"]

    assert at_once == {
        "TrafficRoutingConfiguration": {"Type": "ALL_AT_ONCE", "WaitIntervalInSeconds": 0},
        "TerminationWaitInSeconds": 600,
        "MaximumExecutionTimeoutInSeconds": 7200,
    }
    assert found["canary"]["BlueGreenUpdatePolicy"] == {
        "TrafficRoutingConfiguration": {"Type": "CANARY", "CanarySize": half, "WaitIntervalInSeconds": 300},
        "TerminationWaitInSeconds": 300,
        "MaximumExecutionTimeoutInSeconds": 3600,
    }
    assert found["linear"]["BlueGreenUpdatePolicy"]["TrafficRoutingConfiguration"] == {
        "Type": "LINEAR",
        "LinearStepSize": half,
        "WaitIntervalInSeconds": 300,
    }
    assert found["rolling"]["RollingUpdatePolicy"] == {
        "MaximumBatchSize": half,
        "WaitIntervalInSeconds": 300,
        "MaximumExecutionTimeoutInSeconds": 3600,
    }
    assert [set(each) for each in found.values()][2] == {"AutoRollbackConfiguration", "RollingUpdatePolicy"}


GUARDED = {f"prod-{stack}": template("prod", stack) for stack in ("chat", "decision")}


@pytest.mark.rule(
    "Rollback alarms exist before the endpoint that names them, without a cycle", tool="CDK, cfn-lint", emulated=""
)
@pytest.mark.parametrize("case", GUARDED)
def test_endpoint_comes_after_its_rollback_alarms_which_refer_to_nothing(case: str) -> None:
    """The endpoint names alarms by reference, an alarm names the endpoint by text: one direction, no cycle."""
    content = GUARDED[case]
    endpoint, properties = content.only(ENDPOINT)
    alarms = properties["DeploymentConfig"]["AutoRollbackConfiguration"]["Alarms"]
    names = {each["AlarmName"]["Ref"] for each in alarms}

    assert names == set(content.of_type("AWS::CloudWatch::Alarm"))
    assert names <= _depends_on(content, endpoint)
    for name in names:
        assert _depends_on(content, name) == set()
        dimensions = {each["Name"]: each["Value"] for each in content.resources[name]["Properties"]["Dimensions"]}
        assert dimensions["EndpointName"] == properties["EndpointName"]


@pytest.mark.parametrize(
    ("stack", "engine_errors", "latency"),
    [
        ("chat", ("AWS/SageMaker", "Invocation5XXErrors", 5), 40),
        ("decision", ("SemIf/Decision", "EngineErrors", 0), 5),
    ],
)
def test_deployment_is_rolled_back_on_engine_errors_and_latency_only(
    stack: str, engine_errors: tuple[str, str, int], latency: int
) -> None:
    """No metric that counts a client's mistake is among them, a minute without data is none, and latency is in µs."""
    alarms = [each["Properties"] for each in GUARDED[f"prod-{stack}"].of_type("AWS::CloudWatch::Alarm").values()]

    found = {(each["Namespace"], each["MetricName"], each["Threshold"]) for each in alarms}
    assert found == {engine_errors, ("AWS/SageMaker", "ModelLatency", latency * 1_000_000)}
    assert {each.get("Statistic", each.get("ExtendedStatistic")) for each in alarms} == {"Sum", "p95"}
    for alarm in alarms:
        assert alarm["TreatMissingData"] == "notBreaching"
        assert alarm["ComparisonOperator"] == "GreaterThanThreshold"
        assert alarm["Period"] == 60
        assert "AlarmActions" not in alarm


def test_execution_role_may_look_at_its_rollback_alarms_and_no_other() -> None:
    """SageMaker's documentation asks for it, and alarms have ARNs."""
    for content in GUARDED.values():
        role = content.only("AWS::SageMaker::Model")[1]["ExecutionRoleArn"]["Fn::GetAtt"][0]
        (looking,) = [each for each in content.statements(role) if each["Action"] == "cloudwatch:DescribeAlarms"]

        assert {flat(arn) for arn in looking["Resource"]} == {
            f"<{name}.Arn>" for name in content.of_type("AWS::CloudWatch::Alarm")
        }


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_passes_the_linter(strategy: str) -> None:
    """What the repository's environments leave out is no less valid."""
    paths = [everything(strategy) / f"semif-dev-{stack}.template.json" for stack in STACKS]

    command = ["cfn-lint", "--ignore-checks", "W3005", "--template", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")
