import aws_cdk as cdk
from constructs import Construct

from config.content import image_tag
from config.settings import Settings
from constructs_lib.build_run import BuildRun, ImageContent, ObjectContent
from constructs_lib.image_build_project import ImageBuildProject
from constructs_lib.image_source import ImageSource
from constructs_lib.log_group import LogSettings
from constructs_lib.model_package_project import ModelPackageProject
from stacks.environment_stack import EnvironmentStack


class BuildStack(EnvironmentStack):
    """Makes the model archive and the decision image, each unless it is there already."""

    def __init__(self, scope: Construct, construct_id: str, *, settings: Settings) -> None:
        """Compose the stack."""
        super().__init__(scope, construct_id, settings=settings, description="Builds model archive and decision image")
        bucket, key = self.artifacts.bucket(self), self.artifacts.key(self)
        protection = settings.protection
        logs = LogSettings(key, protection.log_retention_days)
        # A failed build's sentence points to its log, which a rolled-back first deployment would take along.
        build_logs = LogSettings(key, protection.log_retention_days, survives_stack=protection.retain_data)
        package = ModelPackageProject(
            self, "ModelPackage", pin=settings.model, bucket=bucket, encryption_key=key, logs=build_logs
        )
        archive = ObjectContent(bucket, settings.model.object_key)
        package_run = BuildRun(self, "ModelPackageRun", project=package.build, content=archive, logs=logs)
        base = settings.images.decision_base
        base_source = ImageSource.deep_learning_container(
            self, name=base.repository, registry_account=settings.environment.registry_account
        )
        image = ImageContent(self.artifacts.image_source(self), image_tag(base.digest))
        image_build = ImageBuildProject(
            self,
            "DecisionImage",
            base=base_source,
            base_digest=base.digest,
            image=image,
            platform=base.of_kind.platform,
            bucket=bucket,
            encryption_key=key,
            logs=build_logs,
        )
        image_run = BuildRun(self, "DecisionImageRun", project=image_build.build, content=image, logs=logs)
        cdk.CfnOutput(self, "ModelObjectKey", value=package_run.content_name)
        cdk.CfnOutput(self, "DecisionImageTag", value=image_run.content_name)
