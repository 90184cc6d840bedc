import re
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import assertions

from app import build
from stacks.artifact_stack import ArtifactStack
from tests.template.synthesis import DIRECTORY, ENVIRONMENTS, STACKS, Template, flat, settings_of, template


@pytest.fixture(params=ENVIRONMENTS)
def artifact(request: pytest.FixtureRequest) -> Template:
    """The artifact stack of each environment."""
    return template(request.param, "artifact")


def _deny_statements(artifact: Template, bucket: str) -> list[dict[str, Any]]:
    policies = [each["Properties"] for each in artifact.of_type("AWS::S3::BucketPolicy").values()]
    document = next(each["PolicyDocument"] for each in policies if each["Bucket"] == {"Ref": bucket})
    return [each for each in document["Statement"] if each["Effect"] == "Deny"]


def test_artifact_bucket_is_encrypted_versioned_and_private(artifact: Template) -> None:
    """Objects are encrypted with our key, kept in versions, and never public."""
    key, _ = artifact.only("AWS::KMS::Key")
    _, bucket = artifact.named("ArtifactBucketC", "AWS::S3::Bucket")

    (encryption,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    by_default = encryption["ServerSideEncryptionByDefault"]
    assert by_default == {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": {"Fn::GetAtt": [key, "Arn"]}}
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    assert "BucketName" not in bucket


def test_data_key_rotates(artifact: Template) -> None:
    """A new key version every year."""
    _, key = artifact.only("AWS::KMS::Key")

    assert key["EnableKeyRotation"] is True


def _key_statements(artifact: Template) -> dict[str, dict[str, Any]]:
    """Return the statements of the key's policy by the service they are for; "" is the account."""
    _, key = artifact.only("AWS::KMS::Key")
    return {flat(each["Principal"].get("Service", "")): each for each in key["KeyPolicy"]["Statement"]}


def test_logs_service_may_use_the_data_key_for_logs_of_this_environment_only(artifact: Template) -> None:
    """Its name has the partition's suffix, in China too, and its use is bound to log groups that this app makes."""
    ((service, logs),) = [item for item in _key_statements(artifact).items() if item[0].startswith("logs.")]

    assert re.fullmatch(r"logs\.(<AWS::Region>|us-east-1)\.<AWS::URLSuffix>", service)
    (groups,) = logs["Condition"]["ArnLike"].values()
    named = [re.sub(r".*:log-group:", "", flat(group)) for group in groups]
    environment = named[0].removeprefix("semif-").removesuffix("-*")
    assert environment in ENVIRONMENTS
    assert named[1:] == [f"/aws/sagemaker/Endpoints/semif-{environment}-{stack}" for stack in ("chat", "decision")]


def test_alarms_may_use_the_data_key_if_they_are_of_this_environment(artifact: Template) -> None:
    """CloudWatch publishes to an encrypted topic with the key; only alarms of this account and environment may."""
    alarms = _key_statements(artifact)["cloudwatch.amazonaws.com"]

    assert alarms["Action"] == ["kms:Decrypt", "kms:GenerateDataKey*"]
    assert flat(alarms["Condition"]["StringEquals"]["aws:SourceAccount"]) in {"<AWS::AccountId>", "000000000000"}
    assert re.fullmatch(
        r"arn:(<AWS::Partition>|aws):cloudwatch:(<AWS::Region>:<AWS::AccountId>|us-east-1:000000000000):alarm:semif-\w+-\*",
        flat(alarms["Condition"]["ArnLike"]["aws:SourceArn"]),
    )


@pytest.mark.rule("Nobody but the account's administrators may do everything with the key", tool="CDK", emulated="")
def test_key_policy_lets_services_use_the_key_under_conditions_and_only_the_account_administer_it(
    artifact: Template,
) -> None:
    """kms:* is the account's, whose own policies bound it; each service has named actions and a condition."""
    statements = _key_statements(artifact)
    account = statements.pop("")

    assert account["Action"] == "kms:*"
    assert re.fullmatch(
        r"arn:(<AWS::Partition>|aws):iam::(<AWS::AccountId>|000000000000):root", flat(account["Principal"]["AWS"])
    )
    assert len(statements) == 2
    for statement in statements.values():
        assert statement["Condition"]
        assert not {"*", "kms:*"} & set(statement["Action"])


def test_both_buckets_refuse_plain_http(artifact: Template) -> None:
    """Requests without TLS are denied, whoever makes them."""
    for bucket in artifact.of_type("AWS::S3::Bucket"):
        conditions = [each["Condition"] for each in _deny_statements(artifact, bucket)]

        assert {"Bool": {"aws:SecureTransport": "false"}} in conditions


def test_access_to_artifacts_is_logged_into_a_bucket_of_its_own(artifact: Template) -> None:
    """Who read or wrote what is kept for a while, encrypted with the only keys S3 delivers to."""
    logs, properties = artifact.named("ArtifactBucketAccessLogs", "AWS::S3::Bucket")
    _, bucket = artifact.named("ArtifactBucketC", "AWS::S3::Bucket")

    assert bucket["LoggingConfiguration"]["DestinationBucketName"] == {"Ref": logs}
    (encryption,) = properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert encryption["ServerSideEncryptionByDefault"] == {"SSEAlgorithm": "AES256"}
    (rule,) = properties["LifecycleConfiguration"]["Rules"]
    assert rule["ExpirationInDays"] > 0


def test_artifact_bucket_refuses_old_tls(artifact: Template) -> None:
    """Versions of TLS before 1.2 are denied where the models are."""
    name, _ = artifact.named("ArtifactBucketC", "AWS::S3::Bucket")
    conditions = [each["Condition"] for each in _deny_statements(artifact, name)]

    assert {"NumericLessThan": {"s3:TlsVersion": 1.2}} in conditions


def test_published_model_cannot_be_overwritten(artifact: Template) -> None:
    """Creating an object below models/ without If-None-Match is denied to everyone; parts of an upload are exempt."""
    name, _ = artifact.named("ArtifactBucketC", "AWS::S3::Bucket")
    (once,) = [each for each in _deny_statements(artifact, name) if each["Action"] == "s3:PutObject"]

    assert once["Principal"] == {"AWS": "*"}
    assert flat(once["Resource"]) == f"<{name}.Arn>/models/*"
    assert once["Condition"] == {
        "Null": {"s3:if-none-match": "true"},
        "Bool": {"s3:ObjectCreationOperation": "true"},
    }


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_published_model_is_removed_by_its_custodian_alone(environment: str) -> None:
    """Every version of it, by whoever asks; where data is not retained, by the function that empties the bucket too."""
    artifact = template(environment, "artifact")
    name, _ = artifact.named("ArtifactBucketC", "AWS::S3::Bucket")
    custodian, _ = artifact.named("ArtifactBucketModelCustodian", "AWS::IAM::Role")
    emptying = [each for each in artifact.of_type("AWS::IAM::Role") if each.startswith("CustomS3AutoDeleteObjects")]
    (removal,) = [each for each in _deny_statements(artifact, name) if "s3:DeleteObject" in each["Action"]]

    assert removal["Action"] == ["s3:DeleteObject", "s3:DeleteObjectVersion"]
    assert removal["Principal"] == {"AWS": "*"}
    assert flat(removal["Resource"]) == f"<{name}.Arn>/models/*"
    ((operator, condition),) = removal["Condition"].items()
    assert operator == "ArnNotEquals"
    allowed = condition["aws:PrincipalArn"]
    assert {flat(each) for each in (allowed if isinstance(allowed, list) else [allowed])} == {
        f"<{each}.Arn>" for each in (custodian, *emptying)
    }
    assert bool(emptying) != settings_of(environment).protection.retain_data


def test_custodian_is_trusted_to_the_account_and_removes_models_only(artifact: Template) -> None:
    """Nothing of the product assumes it; it can neither read nor write, nor touch anything but models."""
    custodian, role = artifact.named("ArtifactBucketModelCustodian", "AWS::IAM::Role")
    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
    bucket, _ = artifact.named("ArtifactBucketC", "AWS::S3::Bucket")

    assert flat(trust["Principal"]["AWS"]).endswith(":root")
    assert role["MaxSessionDuration"] == 3600
    removing, looking = artifact.statements(custodian)
    assert removing["Action"] == ["s3:DeleteObject", "s3:DeleteObjectVersion"]
    assert flat(removing["Resource"]) == f"<{bucket}.Arn>/models/*"
    assert looking["Action"] == ["s3:ListBucket", "s3:ListBucketVersions"]
    assert looking["Condition"] == {"StringLike": {"s3:prefix": "models/*"}}


def test_nothing_expires_that_is_in_use(artifact: Template) -> None:
    """Current model archives and tagged images have no age; reports, old versions and unfinished uploads have one."""
    _, bucket = artifact.named("ArtifactBucketC", "AWS::S3::Bucket")
    expiring = [rule for rule in bucket["LifecycleConfiguration"]["Rules"] if "ExpirationInDays" in rule]
    _, repository = artifact.only("AWS::ECR::Repository")

    assert [rule["Prefix"] for rule in expiring] == ["reports/"]
    assert '"tagStatus":"untagged"' in repository["LifecyclePolicy"]["LifecyclePolicyText"]
    assert repository["LifecyclePolicy"]["LifecyclePolicyText"].count("tagStatus") == 1


def test_repository_tags_are_immutable_and_scanned(artifact: Template) -> None:
    """A tag never moves, and every push is scanned."""
    _, repository = artifact.only("AWS::ECR::Repository")

    assert repository["ImageTagMutability"] == "IMMUTABLE"
    assert repository["ImageScanningConfiguration"] == {"ScanOnPush": True}
    assert "RepositoryName" not in repository


def test_images_are_encrypted_with_the_data_key(artifact: Template) -> None:
    """Layers at rest have the key that archives have."""
    key, _ = artifact.only("AWS::KMS::Key")
    _, repository = artifact.only("AWS::ECR::Repository")

    assert repository["EncryptionConfiguration"] == {"EncryptionType": "KMS", "KmsKey": {"Fn::GetAtt": [key, "Arn"]}}


@pytest.mark.parametrize(("environment", "policy"), [("dev", "Retain"), ("prod", "Retain"), ("local", "Delete")])
def test_data_survives_the_stack_except_locally(environment: str, policy: str) -> None:
    """Buckets, repository and key are retained unless the environment's own value says otherwise."""
    artifact = template(environment, "artifact")
    for kind in ("AWS::S3::Bucket", "AWS::ECR::Repository", "AWS::KMS::Key"):
        for resource in artifact.of_type(kind).values():
            assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == (policy, policy)
    assert bool(artifact.of_type("Custom::S3AutoDeleteObjects")) == (policy == "Delete")


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_logical_ids_of_stateful_resources_are_frozen(environment: str) -> None:
    """Another logical id would be another, empty resource: none of these may ever change."""
    artifact = template(environment, "artifact")
    kinds = ("AWS::KMS::Key", "AWS::S3::Bucket", "AWS::ECR::Repository")

    assert [name for kind in kinds for name in sorted(artifact.of_type(kind))] == [
        "DataKey2A0DE9E6",
        "ArtifactBucketAccessLogs4ADB5388",
        "ArtifactBucketC3871E62",
        "ImageRepository6BAD029D",
    ]


def test_exports_are_three_names_that_do_not_depend_on_content(artifact: Template) -> None:
    """What others import is the bucket, the key and the repository, under stable names."""
    outputs = artifact.content["Outputs"].items()
    exports = {name: output["Export"]["Name"] for name, output in outputs if "Export" in output}

    assert {"BucketName", "KeyArn", "RepositoryName"} == set(exports)
    assert all(exported.endswith(f"-artifact-{name}") for name, exported in exports.items())


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_artifact_stack_is_the_same_without_its_consumers(tmp_path: Path, environment: str) -> None:
    """Removing every other stack changes nothing here, so no export is ever withdrawn while in use."""
    settings = settings_of(environment)
    context = build(environment, directory=DIRECTORY, outdir=str(tmp_path)).node.get_all_context()
    alone = ArtifactStack(cdk.App(outdir=str(tmp_path), context=context), "artifact", settings=settings)

    content = assertions.Template.from_stack(alone).to_json()

    assert content["Resources"] == template(environment, "artifact").content["Resources"]
    assert content["Outputs"] == template(environment, "artifact").content["Outputs"]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_other_stacks_import_only_those_exports(environment: str) -> None:
    """No reference crosses between stacks except by an explicit export of the artifact stack."""
    for stack in STACKS[1:]:
        text = str(template(environment, stack).content)

        assert "Fn::GetStackOutput" not in text
        assert text.count("Fn::ImportValue") == text.count(f"'Fn::ImportValue': 'semif-{environment}-artifact-")
        assert "ExportsOutput" not in text
