from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_s3_assets as assets
from constructs import Construct

from config.content import NOT_CONTENT
from constructs_lib.build_project import BuildHost, BuildProject
from constructs_lib.build_run import ImageContent
from constructs_lib.image_source import ImageSource
from constructs_lib.log_group import LogSettings

_CHECKOUT = Path(__file__).parents[1]
# Rules of .gitignore: of the whole checkout only the two folders that the image is made from.
_SOURCE = ["/*", "!/container", "!/builds", "/builds/*", "!/builds/decision_image", *NOT_CONTENT]
_PUSH = (
    "ecr:InitiateLayerUpload",
    "ecr:UploadLayerPart",
    "ecr:CompleteLayerUpload",
    "ecr:PutImage",
)


class ImageBuildProject(Construct):
    """The build that makes the decision image on its pinned base and pushes it under its content's tag.

    Attributes:
        build: The project and its role.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        base: ImageSource,
        base_digest: str,
        image: ImageContent,
        platform: str,
        bucket: s3.IBucket,
        encryption_key: kms.IKey,
        logs: LogSettings,
    ) -> None:
        """Create the project.

        Args:
            scope: The parent.
            construct_id: The id below it.
            base: Repository of the base image.
            base_digest: Digest of the base image.
            image: Repository and tag of the image to make.
            platform: The one the image is for, such as linux/arm64.
            bucket: Where a build leaves its report.
            encryption_key: That bucket's key.
            logs: Key and retention of the build log.
        """
        super().__init__(scope, construct_id)
        source = assets.Asset(self, "Source", path=str(_CHECKOUT), exclude=_SOURCE, ignore_mode=cdk.IgnoreMode.GIT)
        self.build = BuildProject(
            self,
            "Build",
            source=source,
            build_spec_file="builds/decision_image/buildspec.yml",
            environment={
                "BASE_REPOSITORY_URI": base.uri,
                "BASE_DIGEST": base_digest,
                "BASE_REGISTRY_ACCOUNT": base.registry_id,
                "IMAGE_REPOSITORY_URI": image.source.uri,
                "IMAGE_TAG": image.tag,
                "IMAGE_PLATFORM": platform,
                "ARTIFACT_BUCKET": bucket.bucket_name,
            },
            bucket=bucket,
            encryption_key=encryption_key,
            logs=logs,
            host=BuildHost(platform, privileged=True),
        )
        role = self.build.role
        base.grant_pull(role)
        image.source.grant_pull(role)
        role.add_to_policy(iam.PolicyStatement(actions=list(_PUSH), resources=[image.source.arn]))
