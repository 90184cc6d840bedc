from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_s3_assets as assets
from constructs import Construct

from config.content import NOT_CONTENT
from config.model import ModelPin
from config.model_source import HuggingFaceSource, S3Source
from constructs_lib.build_project import BuildProject
from constructs_lib.log_group import LogSettings

_FOLDER = Path(__file__).parents[1] / "builds" / "model_package"


class ModelPackageProject(Construct):
    """The build that fetches the pinned GGUF, verifies it and publishes it under its key.

    Attributes:
        build: The project and its role.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        pin: ModelPin,
        bucket: s3.IBucket,
        encryption_key: kms.IKey,
        logs: LogSettings,
    ) -> None:
        """Create the project.

        Args:
            scope: The parent.
            construct_id: The id below it.
            pin: The model.
            bucket: Where the model is published.
            encryption_key: Its key.
            logs: Key and retention of the build log.
        """
        super().__init__(scope, construct_id)
        self.build = BuildProject(
            self,
            "Build",
            source=assets.Asset(self, "Source", path=str(_FOLDER), exclude=list(NOT_CONTENT)),
            build_spec_file="buildspec.yml",
            environment=package_variables(pin, bucket.bucket_name),
            bucket=bucket,
            encryption_key=encryption_key,
            logs=logs,
        )
        role = self.build.role
        actions = ["s3:PutObject", "s3:AbortMultipartUpload"]
        written = [bucket.arn_for_objects(key) for key in (*pin.served_keys, pin.side_copy_key)]
        role.add_to_policy(iam.PolicyStatement(actions=actions, resources=written))
        if isinstance(pin.source, S3Source):
            bucket_arn = f"arn:{cdk.Aws.PARTITION}:s3:::{pin.source.bucket}"
            keys = (pin.source.key, *(pin.source.beside(part.file) for part in pin.parts))
            read = [f"{bucket_arn}/{key}" for key in keys]
            role.add_to_policy(iam.PolicyStatement(actions=["s3:GetObject"], resources=read))
        elif secret := pin.source.token_secret_arn:
            read = ["secretsmanager:GetSecretValue"]
            role.add_to_policy(iam.PolicyStatement(actions=read, resources=[secret]))


def package_variables(pin: ModelPin, bucket_name: str) -> dict[str, str]:
    """Return what a build is told: the pin, where the file comes from, and how and where it goes."""
    return {
        "MODEL_FILE": pin.file,
        "MODEL_BYTES": str(pin.bytes),
        "MODEL_SHA256": pin.sha256,
        **_source_variables(pin.source),
        "MODEL_PACKAGING": pin.packaging,
        "MANIFEST": pin.manifest,
        "ARTIFACT_BUCKET": bucket_name,
        "ARTIFACT_KEY": pin.object_key,
    }


def _source_variables(source: HuggingFaceSource | S3Source) -> dict[str, str]:
    if isinstance(source, S3Source):
        return {"MODEL_SOURCE_KIND": source.kind, "MODEL_SOURCE_URI": source.uri}
    variables = {
        "MODEL_SOURCE_KIND": source.kind,
        "MODEL_SOURCE_REPOSITORY": source.repository,
        "MODEL_SOURCE_REVISION": source.revision,
    }
    if source.folder:
        variables["MODEL_SOURCE_FOLDER"] = source.folder
    if source.token_secret_arn:
        # The build reads the secret itself, so the token is in none of its variables.
        variables["MODEL_TOKEN_SECRET"] = source.token_secret_arn
    return variables
