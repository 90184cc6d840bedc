"""Content that a build publishes, an object or an image tag, and whether it is there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from botocore.exceptions import ClientError


class Objects(Protocol):
    """The S3 call made here."""

    def head_object(self, *, Bucket: str, Key: str) -> Mapping[str, Any]:  # noqa: N803 - S3's own spelling
        """Return an object's metadata."""


class Registry(Protocol):
    """The ECR call made here."""

    def describe_images(self, *, repositoryName: str, imageIds: Sequence[Any]) -> Mapping[str, Any]:  # noqa: N803 - ECR's own spelling
        """Return what is known of images."""


@dataclass(frozen=True)
class Content:
    """An object of a bucket (kind s3) or a tag of a repository (kind ecr)."""

    kind: str
    location: str
    name: str

    def is_there(self, objects: Objects, registry: Registry) -> bool:
        """Tell whether it exists.

        Raises:
            ClientError: It cannot be looked for; S3 says 403 without saying what is missing.
        """
        try:
            if self.kind == "s3":
                objects.head_object(Bucket=self.location, Key=self.name)
            else:
                registry.describe_images(repositoryName=self.location, imageIds=[{"imageTag": self.name}])
        except ClientError as error:
            if error.response["Error"]["Code"] in ("404", "NoSuchKey", "ImageNotFoundException"):
                return False
            raise
        return True
