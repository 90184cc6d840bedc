from dataclasses import dataclass
from typing import ClassVar

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from constructs_lib.build_project import BuildProject
from constructs_lib.image_source import ImageSource
from constructs_lib.log_group import LogSettings
from constructs_lib.resource_provider import LONGEST_WAIT, HandlerSize, ResourceProvider

# Looking for content and asking for a build's status take seconds; the wait itself is the framework's.
_SIZE = HandlerSize(timeout_minutes=2, memory_mib=256)
_POLL_INTERVAL = cdk.Duration.seconds(5)


@dataclass(frozen=True)
class ObjectContent:
    """Built content that is an object of a bucket."""

    kind: ClassVar[str] = "s3"
    bucket: s3.IBucket
    key: str

    @property
    def location(self) -> str:
        """The bucket's name."""
        return self.bucket.bucket_name

    @property
    def name(self) -> str:
        """The object's key."""
        return self.key

    def grant_look(self, role: iam.Role) -> None:
        """Allow the role to see whether the content is there; without ListBucket "not there" reads "denied"."""
        arn = self.bucket.arn_for_objects(self.key)
        role.add_to_policy(iam.PolicyStatement(actions=["s3:GetObject"], resources=[arn]))
        role.add_to_policy(iam.PolicyStatement(actions=["s3:ListBucket"], resources=[self.bucket.bucket_arn]))


@dataclass(frozen=True)
class ImageContent:
    """Built content that is a tag of a repository."""

    kind: ClassVar[str] = "ecr"
    source: ImageSource
    tag: str

    @property
    def location(self) -> str:
        """The repository's name."""
        return self.source.name

    @property
    def name(self) -> str:
        """The tag."""
        return self.tag

    def grant_look(self, role: iam.Role) -> None:
        """Allow the role to see whether the content is there."""
        role.add_to_policy(iam.PolicyStatement(actions=["ecr:DescribeImages"], resources=[self.source.arn]))


class BuildRun(Construct):
    """Content that is there after the deployment: built by a project unless it was there before.

    Attributes:
        content_name: The content's key or tag, known once it is there.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        project: BuildProject,
        content: ObjectContent | ImageContent,
        logs: LogSettings,
    ) -> None:
        """Run the project where its content is missing, and wait for it.

        Args:
            scope: The parent.
            construct_id: The id below it.
            project: Publishes the content.
            content: What is to be there; named by what it is made of.
            logs: Key and retention of the handlers' logs.
        """
        super().__init__(scope, construct_id)
        provider = ResourceProvider(
            self, "Provider", handler="run_build", size=_SIZE, logs=logs, poll_interval=_POLL_INTERVAL
        )
        content.grant_look(provider.role)
        project.grant_run(provider.role)
        resource = cdk.CustomResource(
            self,
            "Resource",
            resource_type="Custom::BuildRun",
            service_token=provider.service_token,
            service_timeout=LONGEST_WAIT.plus(cdk.Duration.minutes(1)),
            properties={
                "ProjectName": project.project.project_name,
                "ContentKind": content.kind,
                "ContentLocation": content.location,
                "ContentName": content.name,
                "ReportBucket": project.report_bucket.bucket_name,
                "HandlerVersion": provider.handler_version,
            },
        )
        # The build needs all that belongs to the project: its role's policies and its log group too.
        resource.node.add_dependency(project)
        self.content_name = resource.get_att_string("ContentName")
