"""The bucket of artifacts: encrypted, private, logged, and no published model changes or goes unasked."""

from typing import Any

import pytest

from tests.template.synthesis import ENVIRONMENTS, Template, flat, settings_of, template


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
