import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from constructs import Construct

from constructs_lib.model_custodian import ModelCustodian

MODELS = "models/"
REPORTS = "reports/"


class ArtifactBucket(Construct):
    """The bucket of published models, each written once and removed by one role alone, and of build reports.

    Attributes:
        bucket: The S3 bucket.
        custodian: May remove published models.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        encryption_key: kms.IKey,
        retain_data: bool,
        access_log_retention_days: int,
    ) -> None:
        """Create the bucket and the one its access logs go to.

        Args:
            scope: The parent.
            construct_id: The id below it.
            encryption_key: Encrypts every object.
            retain_data: Whether both buckets survive the deletion of their stack; otherwise they are emptied for it.
            access_log_retention_days: How long access logs and build reports are kept.
        """
        super().__init__(scope, construct_id)
        removal_policy = cdk.RemovalPolicy.RETAIN if retain_data else cdk.RemovalPolicy.DESTROY
        access_logs = s3.Bucket(
            self,
            "AccessLogs",
            # S3 delivers access logs only into buckets with its own encryption keys.
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            versioned=True,
            lifecycle_rules=[
                s3.LifecycleRule(
                    expiration=cdk.Duration.days(access_log_retention_days),
                    noncurrent_version_expiration=cdk.Duration.days(access_log_retention_days),
                    abort_incomplete_multipart_upload_after=cdk.Duration.days(1),
                )
            ],
            removal_policy=removal_policy,
            auto_delete_objects=not retain_data,
        )
        self.bucket = s3.Bucket(
            self,
            "Bucket",
            encryption=s3.BucketEncryption.KMS,
            encryption_key=encryption_key,
            bucket_key_enabled=True,
            versioned=True,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            server_access_logs_bucket=access_logs,
            server_access_logs_prefix="artifacts/",
            lifecycle_rules=[
                s3.LifecycleRule(
                    abort_incomplete_multipart_upload_after=cdk.Duration.days(1),
                    noncurrent_version_expiration=cdk.Duration.days(90),
                ),
                s3.LifecycleRule(prefix=REPORTS, expiration=cdk.Duration.days(access_log_retention_days)),
            ],
            removal_policy=removal_policy,
            auto_delete_objects=not retain_data,
        )
        self._deny_overwriting_models()
        self.custodian = ModelCustodian(self, "ModelCustodian", bucket=self.bucket, models=MODELS)
        self._deny_removing_models(retain_data=retain_data)

    def _deny_overwriting_models(self) -> None:
        """Let a model's key be written only while it does not exist.

        The parts of a multipart upload carry no condition, its completion does; S3 tells them apart by
        s3:ObjectCreationOperation. https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes-enforce.html
        """
        self.bucket.add_to_resource_policy(
            iam.PolicyStatement(
                sid="ModelsAreWrittenOnce",
                effect=iam.Effect.DENY,
                principals=[iam.AnyPrincipal()],
                actions=["s3:PutObject"],
                resources=[self.bucket.arn_for_objects(f"{MODELS}*")],
                conditions={
                    "Null": {"s3:if-none-match": "true"},
                    "Bool": {"s3:ObjectCreationOperation": "true"},
                },
            )
        )

    def _deny_removing_models(self, *, retain_data: bool) -> None:
        """Let the custodian alone remove a model's versions, and the function that empties the bucket for its deletion.

        A statement of the bucket's denies administrators too; who may change the policy itself can still undo it.
        """
        allowed = [self.custodian.role.role_arn]
        if not retain_data:
            allowed.append(_emptying_role_arn(self))
        self.bucket.add_to_resource_policy(
            iam.PolicyStatement(
                sid="ModelsAreRemovedByTheirCustodian",
                effect=iam.Effect.DENY,
                principals=[iam.AnyPrincipal()],
                actions=["s3:DeleteObject", "s3:DeleteObjectVersion"],
                resources=[self.bucket.arn_for_objects(f"{MODELS}*")],
                conditions={"ArnNotEquals": {"aws:PrincipalArn": allowed}},
            )
        )


def _emptying_role_arn(scope: Construct) -> str:
    """Return the role of the function that the CDK adds to a stack for auto_delete_objects; it has no other handle."""
    provider = cdk.Stack.of(scope).node.find_child("Custom::S3AutoDeleteObjectsCustomResourceProvider")
    role = provider.node.find_child("Role")
    assert isinstance(role, cdk.CfnResource)
    return cdk.Token.as_string(role.get_att("Arn"))
