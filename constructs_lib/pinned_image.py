import re
from typing import Literal

from aws_cdk import aws_iam as iam
from constructs import Construct

from config.rules import ConfigurationError
from constructs_lib.image_source import ImageSource
from constructs_lib.log_group import LogSettings
from constructs_lib.resource_provider import HandlerSize, ResourceProvider
from constructs_lib.verification import Verification

_SIZE = HandlerSize(timeout_minutes=2, memory_mib=256)


class PinnedImage(Construct):
    """An image that was found in its repository during this deployment, by the one digest SageMaker accepts.

    Attributes:
        source: The repository.
        uri: repository@sha256:…, known only once the image is found.
        digest: Its digest, with the prefix sha256:.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        source: ImageSource,
        reference: str,
        platform: str,
        logs: LogSettings,
        tags: Literal["refused", "content"] = "refused",
    ) -> None:
        """Resolve the reference.

        Args:
            scope: The parent.
            construct_id: The id below it.
            source: The repository.
            reference: A digest, or a tag where tags are not refused.
            platform: The one it is for, such as linux/arm64: a reference may lead to a list of several.
            logs: Key and retention of the handler's logs.
            tags: Whether the reference may be a tag: never, or one made of the image's content, in a repository whose
                tags are immutable and with the image's label semif.content saying the same.

        Raises:
            ConfigurationError: The reference is a tag and must not be.
        """
        super().__init__(scope, construct_id)
        if tags == "refused" and not re.fullmatch(r"sha256:[0-9a-f]{64}", reference):
            raise ConfigurationError(f"{self.node.path}: {reference} is a tag, which may move; a digest is required.")
        self.source = source
        provider = ResourceProvider(self, "Provider", handler="pin_image", size=_SIZE, logs=logs)
        actions = ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"]
        if tags == "content":
            actions.append("ecr:DescribeRepositories")
        provider.role.add_to_policy(iam.PolicyStatement(actions=actions, resources=[source.arn]))
        verification = Verification(
            self,
            "Resource",
            provider=provider,
            size=_SIZE,
            properties={
                "RegistryId": source.registry_id,
                "RepositoryName": source.name,
                "RepositoryUri": source.uri,
                "Reference": reference,
                "Platform": platform,
                "Tags": tags,
            },
        )
        self.uri = verification.get_att_string("ImageUri")
        self.digest = verification.get_att_string("Digest")

    def grant_pull(self, role: iam.Role) -> None:
        """Allow the role to pull images of this image's repository."""
        self.source.grant_pull(role)
