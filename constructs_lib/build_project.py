from collections.abc import Mapping
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_codebuild as codebuild
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_s3_assets as assets
from constructs import Construct

from constructs_lib import nag
from constructs_lib.artifact_bucket import REPORTS
from constructs_lib.log_group import EncryptedLogGroup, LogSettings

# Together below the hour that the custom resource waiting for the build has.
_TIMEOUT = cdk.Duration.minutes(45)
_QUEUED_TIMEOUT = cdk.Duration.minutes(8)

_BUILD_IMAGES: Mapping[str, codebuild.IBuildImage] = {
    "linux/amd64": codebuild.LinuxBuildImage.AMAZON_LINUX_2023_6,
    "linux/arm64": codebuild.LinuxArmBuildImage.AMAZON_LINUX_2023_STANDARD_4_0,
}


@dataclass(frozen=True)
class BuildHost:
    """The machine a build runs on, of the platform that it builds for: nothing is emulated.

    Attributes:
        platform: linux/amd64 or linux/arm64.
        privileged: Whether builds may run a Docker daemon.
    """

    platform: str = "linux/amd64"
    privileged: bool = False


_PLAIN_HOST = BuildHost()


class BuildProject(Construct):
    """A CodeBuild project with a role of its own, which may log, leave its report and read its source.

    Attributes:
        project: The project.
        role: Its role; the kind of build adds what it publishes and reads.
        report_bucket: Where a build leaves the sentence that says how it ended.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        source: assets.Asset,
        build_spec_file: str,
        environment: Mapping[str, str],
        bucket: s3.IBucket,
        encryption_key: kms.IKey,
        logs: LogSettings,
        host: BuildHost = _PLAIN_HOST,
    ) -> None:
        """Create the project.

        Args:
            scope: The parent.
            construct_id: The id below it.
            source: The folder a build starts in.
            build_spec_file: The buildspec's path in it.
            environment: Variables of every build, readable by whoever may read the project: no secrets.
            bucket: The artifact bucket, for reports.
            encryption_key: Its key.
            logs: Key and retention of the build log.
            host: The machine.
        """
        super().__init__(scope, construct_id)
        self.report_bucket = bucket
        self._encryption_key = encryption_key
        log_group = EncryptedLogGroup(self, "Log", settings=logs).log_group
        self.role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("codebuild.amazonaws.com"))
        variables = {name: codebuild.BuildEnvironmentVariable(value=value) for name, value in environment.items()}
        self.project = codebuild.Project(
            self,
            "Project",
            # What the construct would grant by itself is wider than what follows: whole buckets, any report group.
            role=self.role.without_policy_updates(),
            grant_report_group_permissions=False,
            source=codebuild.Source.s3(bucket=source.bucket, path=source.s3_object_key),
            build_spec=codebuild.BuildSpec.from_source_filename(build_spec_file),
            environment=codebuild.BuildEnvironment(
                build_image=_BUILD_IMAGES[host.platform],
                compute_type=codebuild.ComputeType.MEDIUM,
                privileged=host.privileged,
            ),
            environment_variables=variables,
            encryption_key=encryption_key,
            logging=codebuild.LoggingOptions(cloud_watch=codebuild.CloudWatchLoggingOptions(log_group=log_group)),
            timeout=_TIMEOUT,
            queued_timeout=_QUEUED_TIMEOUT,
        )
        log_group.grant_write(self.role)
        self._grant_source(source)
        self._grant_report()

    def grant_run(self, role: iam.Role) -> None:
        """Allow the role to start builds, follow them and read their reports."""
        actions = ["codebuild:StartBuild", "codebuild:BatchGetBuilds"]
        role.add_to_policy(iam.PolicyStatement(actions=actions, resources=[self.project.project_arn]))
        role.add_to_policy(iam.PolicyStatement(actions=["s3:GetObject"], resources=[self._reports]))
        key_arn = self._encryption_key.key_arn
        role.add_to_policy(iam.PolicyStatement(actions=["kms:Decrypt"], resources=[key_arn]))
        nag.acknowledge_resources(role, self._reports, "build reports")

    @property
    def _reports(self) -> str:
        return self.report_bucket.arn_for_objects(f"{REPORTS}{self.project.project_name}/*")

    def _grant_source(self, source: assets.Asset) -> None:
        arn = source.bucket.arn_for_objects(source.s3_object_key)
        self.role.add_to_policy(iam.PolicyStatement(actions=["s3:GetObject", "s3:GetObjectVersion"], resources=[arn]))
        actions = ["s3:GetBucketAcl", "s3:GetBucketLocation"]
        self.role.add_to_policy(iam.PolicyStatement(actions=actions, resources=[source.bucket.bucket_arn]))

    def _grant_report(self) -> None:
        self.role.add_to_policy(iam.PolicyStatement(actions=["s3:PutObject"], resources=[self._reports]))
        actions = ["kms:Decrypt", "kms:GenerateDataKey"]
        key_arn = self._encryption_key.key_arn
        self.role.add_to_policy(iam.PolicyStatement(actions=actions, resources=[key_arn]))
        nag.acknowledge_resources(self.role, self._reports, "build reports")
