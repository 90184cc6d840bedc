import aws_cdk as cdk
from constructs import Construct

from config.settings import Settings
from constructs_lib.artifact_bucket import ArtifactBucket
from constructs_lib.data_key import DataKey
from constructs_lib.image_repository import ImageRepository
from stacks.environment_stack import EnvironmentStack


class ArtifactStack(EnvironmentStack):
    """What must not be lost: model archives, images and the key that reads them."""

    def __init__(self, scope: Construct, construct_id: str, *, settings: Settings) -> None:
        """Compose the stack."""
        super().__init__(scope, construct_id, settings=settings, description="Model archives and decision images")
        protection = settings.protection
        endpoint_names = (settings.chat.endpoint_name, settings.decision.endpoint_name)
        key = DataKey(
            self,
            "DataKey",
            # Log groups without a name of their own get one that begins with their stack's.
            log_group_names=[
                f"{self.stack_name_prefix}-*",
                *(f"/aws/sagemaker/Endpoints/{name}" for name in endpoint_names),
            ],
            alarm_names=f"{self.stack_name_prefix}-*",
            retain_data=protection.retain_data,
        )
        bucket = ArtifactBucket(
            self,
            "ArtifactBucket",
            encryption_key=key.key,
            retain_data=protection.retain_data,
            access_log_retention_days=protection.log_retention_days,
        )
        repository = ImageRepository(
            self, "ImageRepository", encryption_key=key.key, retain_data=protection.retain_data
        )
        self.artifacts.publish(self, bucket=bucket.bucket, key=key.key, repository=repository.repository)
        # Not exported: no other stack refers to it.
        cdk.CfnOutput(self, "ModelCustodianRoleArn", value=bucket.custodian.role.role_arn)
