"""What operates the endpoints, as deployed: alarms, dashboard, scaling, and the callers' policy."""

import json
from pathlib import Path

import pytest

from config.loader import load
from local_aws.checkout import ROOT
from local_aws.deployment import Deployment, reason
from local_aws.questions import Answers, ask, processes
from tests.local_aws.edited_assembly import edited
from tests.template.synthesis import synthesize
from tests.unit.config.environment_files import changed

pytestmark = pytest.mark.local_aws
SETTINGS = load("local")


def test_alarms_are_there_and_tell_the_topic(deployment: Deployment, answers: Answers) -> None:
    """People's alarms name both endpoints and the topic; rollback alarms name one and tell nobody."""
    assert answers
    address = deployment.address
    alarms = address.client("cloudwatch").describe_alarms()["MetricAlarms"]
    (topic,) = address.client("sns").list_topics()["Topics"]

    told = [alarm for alarm in alarms if alarm["AlarmActions"] == [topic["TopicArn"]]]
    assert {alarm["AlarmName"][: len("semif-local-monitoring")] for alarm in told} == {"semif-local-monitoring"}
    assert len(told) == 12
    assert len(alarms) - len(told) == 4
    (share,) = [alarm for alarm in alarms if alarm.get("Metrics")]
    assert {each["Expression"] for each in share["Metrics"] if "Expression" in each} == {"lowMass / decisions"}


def test_dashboard_names_both_endpoints(deployment: Deployment, answers: Answers) -> None:
    """Its body is what CloudWatch takes: JSON, with every name filled in."""
    assert answers
    cloudwatch = deployment.address.client("cloudwatch")
    (entry,) = cloudwatch.list_dashboards()["DashboardEntries"]

    body = json.loads(cloudwatch.get_dashboard(DashboardName=entry["DashboardName"])["DashboardBody"])

    shown = json.dumps(body)
    assert all(name in shown for name in (SETTINGS.chat.endpoint_name, SETTINGS.decision.endpoint_name))
    assert all(arn.startswith("arn:aws:cloudwatch:") for arn in body["widgets"][0]["properties"]["alarms"])


def test_decisions_are_registered_to_be_scaled(deployment: Deployment, answers: Answers) -> None:
    """Target and policy are what the settings say."""
    assert answers
    scaling = deployment.address.client("application-autoscaling")
    (target,) = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]
    (policy,) = scaling.describe_scaling_policies(ServiceNamespace="sagemaker")["ScalingPolicies"]

    assert target["ResourceId"] == f"endpoint/{SETTINGS.decision.endpoint_name}/variant/AllTraffic"
    assert (target["MinCapacity"], target["MaxCapacity"]) == (1, 2)
    tracked = policy["TargetTrackingScalingPolicyConfiguration"]["PredefinedMetricSpecification"]
    assert tracked == {"PredefinedMetricType": "SageMakerVariantConcurrentRequestsPerModelHighResolution"}


def test_callers_policies_name_the_endpoints_as_sagemaker_does(deployment: Deployment, answers: Answers) -> None:
    """What is exported is a policy on the very ARN that SageMaker gives the endpoint."""
    assert answers
    address = deployment.address
    exports = {each["Name"]: each["Value"] for each in address.client("cloudformation").list_exports()["Exports"]}
    iam, sagemaker = address.client("iam"), address.client("sagemaker")

    for stack in ("chat", "decision"):
        arn = exports[f"semif-local-{stack}-CallerPolicyArn"]
        version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
        document = iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"]
        endpoint = sagemaker.describe_endpoint(EndpointName=f"semif-local-{stack}")["EndpointArn"]
        assert [each["Resource"] for each in document["Statement"]] == [endpoint]


def test_report_of_the_scan_says_that_there_is_no_result(deployment: Deployment, answers: Answers) -> None:
    """Nothing is scanned here, and the stack's output does not pretend otherwise."""
    assert answers
    cloudformation = deployment.address.client("cloudformation")
    (stack,) = cloudformation.describe_stacks(StackName="semif-local-decision")["Stacks"]
    outputs = {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}

    assert outputs["ImageScan"] == "no result: UNSUPPORTED_IMAGE (The embedded AWS scans no image.)"


@pytest.mark.slow
def test_image_without_a_scan_is_not_deployed_where_findings_block(
    deployment: Deployment, answers: Answers, tmp_path: Path
) -> None:
    """The deployment fails with ECR's reason, and the endpoint answers as before, from the same process."""
    block = 'scan = "block"\nblock_at_severity = "critical"'
    folder = changed(tmp_path, "local", ('scan = "report"', block))
    before = processes(deployment.address)

    outcome = deployment.deploy("semif-local-decision", assembly=synthesize("local", tmp_path / "app", folder))

    assert outcome.code != 0
    assert "has no result: UNSUPPORTED_IMAGE" in reason(outcome)
    assert processes(deployment.address) == before
    assert ask(deployment.address).comparable() == answers.comparable()


@pytest.mark.slow
@pytest.mark.rule(
    "the instance type of a scaled endpoint is refused until scaling is taken off",
    tool="",
    emulated="SageMaker refuses it, as its documentation says; CloudFormation rolls back",
)
def test_instance_type_of_a_scaled_endpoint_is_refused(
    deployment: Deployment, answers: Answers, tmp_path: Path
) -> None:
    """The deployment fails with what to do, and the endpoint answers as before, from the same process."""

    def larger(template: str) -> str:
        return template.replace('"ml.c6i.large"', '"ml.c6i.xlarge"')

    assembly = edited(ROOT / deployment.assembly, tmp_path / "app", "semif-local-decision", larger)
    before = processes(deployment.address)

    outcome = deployment.deploy(assembly=assembly)

    assert outcome.code != 0
    assert "can be changed only after it was deregistered" in reason(outcome)
    assert processes(deployment.address) == before
    assert ask(deployment.address).comparable() == answers.comparable()
