from typing import Any

import pytest

from config.loader import load
from constructs_lib.nag import ACTIONS_WITHOUT_RESOURCE
from tests.template.synthesis import Template, all_templates, flat, listed, template

STACKS = [pytest.param(content, id=f"{environment}-{stack}") for environment, stack, content in all_templates()]


def _allowed(content: Template) -> list[tuple[str, Any]]:
    """Return every allowed (action, resource) of every identity policy."""
    return [
        (action, resource)
        for kind in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy")
        for policy in content.of_type(kind).values()
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Allow"
        for action in listed(statement["Action"])
        for resource in listed(statement["Resource"])
    ]


@pytest.mark.parametrize("content", STACKS)
def test_star_is_the_resource_only_of_actions_that_know_no_other(content: Template) -> None:
    """Every * stands in the list of nag.py."""
    assert {action for action, resource in _allowed(content) if resource == "*"} <= set(ACTIONS_WITHOUT_RESOURCE)


@pytest.mark.parametrize("content", STACKS)
def test_no_action_is_a_pattern(content: Template) -> None:
    """Actions are named one by one."""
    assert not [action for action, _ in _allowed(content) if "*" in action]


@pytest.mark.parametrize("content", STACKS)
def test_resource_pattern_is_reports_versions_of_a_function_or_the_custodian_s_models(content: Template) -> None:
    """No other ARN ends in a pattern, and none has one inside."""
    for action, resource in _allowed(content):
        arn = flat(resource)
        if "*" not in arn or arn == "*":
            continue
        assert arn.index("*") == len(arn) - 1
        if action == "lambda:InvokeFunction":
            assert arn.endswith(".Arn>:*")
        elif action.startswith("s3:Delete"):
            assert arn.endswith(".Arn>/models/*")
        else:
            assert "/reports/<" in arn
            assert action in ("s3:GetObject", "s3:PutObject")


@pytest.mark.parametrize("content", STACKS)
def test_no_role_of_ours_has_a_managed_or_inline_policy(content: Template) -> None:
    """What a role may do stands in one policy resource, on which others can depend."""
    for name, role in content.of_type("AWS::IAM::Role").items():
        if name.startswith("CustomS3AutoDeleteObjects"):
            continue  # the library's own, in environments whose buckets are emptied on deletion
        assert not {"ManagedPolicyArns", "Policies"} & set(role["Properties"])


def test_each_job_has_a_role_of_its_own() -> None:
    """Two builds, two endpoints and each custom resource's handler share no role."""
    for stack in ("build", "chat", "decision"):
        content = template("prod", stack)
        users = [
            *(each["Properties"]["ServiceRole"] for each in content.of_type("AWS::CodeBuild::Project").values()),
            *(each["Properties"]["ExecutionRoleArn"] for each in content.of_type("AWS::SageMaker::Model").values()),
            *(
                each["Properties"]["Role"]
                for each in content.of_type("AWS::Lambda::Function").values()
                if each["Properties"]["Handler"].endswith(".on_event")
            ),
        ]
        assert len({flat(user) for user in users}) == len(users)


def _of_role(content: Template, role: Any) -> dict[str, set[str]]:
    allowed: dict[str, set[str]] = {}
    for statement in content.statements(role["Fn::GetAtt"][0]):
        for action in listed(statement["Action"]):
            allowed.setdefault(action, set()).update(flat(each) for each in listed(statement["Resource"]))
    return allowed


@pytest.mark.parametrize("stack", ["chat", "decision"])
def test_execution_role_reads_one_archive_pulls_one_repository_and_writes_one_log(stack: str) -> None:
    """An endpoint's container can reach nothing else with its credentials."""
    content = template("prod", stack)
    allowed = _of_role(content, content.only("AWS::SageMaker::Model")[1]["ExecutionRoleArn"])
    log, _ = content.named("InferenceEndpointLog", "AWS::Logs::LogGroup")

    assert set(allowed) == {
        "s3:GetObject",
        "kms:Decrypt",
        "ecr:BatchCheckLayerAvailability",
        "ecr:BatchGetImage",
        "ecr:GetDownloadUrlForLayer",
        "ecr:GetAuthorizationToken",
        "logs:CreateLogGroup",
        "logs:CreateLogStream",
        "logs:DescribeLogStreams",
        "logs:PutLogEvents",
        "cloudwatch:DescribeAlarms",
    } | ({"kms:CreateGrant"} if stack == "chat" else set())
    alarms = {f"<{name}.Arn>" for name in content.of_type("AWS::CloudWatch::Alarm")}
    assert allowed.pop("cloudwatch:DescribeAlarms") == alarms
    assert {len(resources) for resources in allowed.values()} == {1}
    assert allowed["logs:PutLogEvents"] == {f"<{log}.Arn>"}


@pytest.mark.parametrize("environment", ["dev", "prod"])
def test_execution_role_may_grant_its_volume_key_to_services_only(environment: str) -> None:
    """Wherever a volume key is set, the role may hand it on for the volumes, and to nobody else."""
    for stack in ("chat", "decision"):
        content = template(environment, stack)
        role = content.only("AWS::SageMaker::Model")[1]["ExecutionRoleArn"]["Fn::GetAtt"][0]
        granting = [each for each in content.statements(role) if each["Action"] == "kms:CreateGrant"]
        key = content.only("AWS::SageMaker::EndpointConfig")[1].get("KmsKeyId")

        assert [each["Resource"] for each in granting] == ([key] if key else [])
        assert all(each["Condition"] == {"Bool": {"kms:GrantIsForAWSResource": "true"}} for each in granting)


def test_image_build_role_pulls_its_base_and_pushes_one_repository() -> None:
    """The base lies in another account's registry, where only pulling is allowed."""
    content = template("prod", "build")
    _, properties = content.named("DecisionImage", "AWS::CodeBuild::Project")
    allowed = _of_role(content, properties["ServiceRole"])

    base = "arn:<AWS::Partition>:ecr:<AWS::Region>:<DlcRepositoryAccountMap>:repository/llama-cpp"
    ours = "arn:<AWS::Partition>:ecr:<AWS::Region>:<AWS::AccountId>:repository/<semif-prod-artifact-RepositoryName>"
    pull = ("ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer")
    push = ("ecr:InitiateLayerUpload", "ecr:UploadLayerPart", "ecr:CompleteLayerUpload", "ecr:PutImage")
    assert {action: allowed.pop(action) for action in pull} == {action: {base, ours} for action in pull}
    assert {action: allowed.pop(action) for action in push} == {action: {ours} for action in push}
    assert not [action for action in allowed if action.startswith("ecr:") and action != "ecr:GetAuthorizationToken"]


@pytest.mark.parametrize("start", ["ModelPackage", "DecisionImage"])
def test_build_role_reads_its_source_and_uses_the_key(start: str) -> None:
    """CodeBuild fetches the source with the build's own role, and the report is encrypted with our key."""
    content = template("prod", "build")
    _, properties = content.named(start, "AWS::CodeBuild::Project")
    allowed = _of_role(content, properties["ServiceRole"])

    source = flat(properties["Source"]["Location"]).partition("/")
    assert {f"arn:<AWS::Partition>:s3:::{''.join(source)}"} == allowed["s3:GetObjectVersion"]
    assert allowed["s3:GetObjectVersion"] <= allowed["s3:GetObject"]
    key = {"<semif-prod-artifact-KeyArn>"}
    assert (allowed["kms:Decrypt"], allowed["kms:GenerateDataKey"]) == (key, key)


def test_running_a_build_may_start_follow_and_look_and_nothing_more() -> None:
    """The handlers of both builds see their content and its build, and write nothing."""
    content = template("prod", "build")
    common = {"codebuild:StartBuild", "codebuild:BatchGetBuilds", "s3:GetObject", "kms:Decrypt"}
    logs = {"logs:CreateLogStream", "logs:PutLogEvents"}
    for start, look in (("ModelPackageRun", "s3:ListBucket"), ("DecisionImageRun", "ecr:DescribeImages")):
        _, properties = content.named(f"{start}ProviderOnEvent", "AWS::Lambda::Function")

        assert set(_of_role(content, properties["Role"])) - logs == common | {look}


def test_packaging_role_writes_one_archive_and_its_reports() -> None:
    """It can publish the archive it was made for and its record, and say how it ended, in its own folder."""
    content = template("local", "build")
    project, properties = content.named("ModelPackage", "AWS::CodeBuild::Project")
    allowed = _of_role(content, properties["ServiceRole"])

    bucket = "arn:<AWS::Partition>:s3:::<semif-local-artifact-BucketName>"
    pin = load("local").model
    written = {f"{bucket}/{pin.object_key}", f"{bucket}/{pin.side_copy_key}"}
    assert allowed["s3:PutObject"] == written | {f"{bucket}/reports/<{project}>/*"}
    assert allowed["s3:AbortMultipartUpload"] == written
    assert not [action for action in allowed if action.startswith("s3:Delete")]
    assert "arn:<AWS::Partition>:s3:::semif-local-models/SmolLM2-135M-Instruct.Q4_1.gguf" in allowed["s3:GetObject"]


def test_verifying_and_resolving_write_nothing() -> None:
    """The handlers of these custom resources may only read, beside their own log."""
    content = template("prod", "decision")
    for function, expected in (
        ("VerifiedModelProviderOnEvent", {"s3:GetObject", "s3:ListBucket", "kms:Decrypt"}),
        (
            "PinnedImageProviderOnEvent",
            {"ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer", "ecr:DescribeRepositories"},
        ),
        ("ImageScanGateProviderOnEvent", {"ecr:DescribeImageScanFindings"}),
    ):
        _, properties = content.named(function, "AWS::Lambda::Function")
        allowed = _of_role(content, properties["Role"])

        assert set(allowed) - {"logs:CreateLogStream", "logs:PutLogEvents"} == expected
