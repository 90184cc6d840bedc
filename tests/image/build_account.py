"""What a build of the image finds in its account: a base in a registry, a repository, a bucket; on the embedded AWS."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from botocore.exceptions import ClientError

from local_aws.checkout import ACCOUNT, REGION
from local_aws.session import Address
from tests.image.buildah import Storage
from tests.image.docker_settings import Settings
from tests.image.failure import StepFailedError
from tests.image.registry import Registry
from tests.image.stand_in_base import Base

HOST = f"{ACCOUNT}.dkr.ecr.{REGION}.amazonaws.com"
BASE_REPOSITORY = "base/llama-cpp"
IMAGE_REPOSITORY = "semif-decision"
BUCKET = "semif-image-test"
PROJECT = "decision-image"


@dataclass(frozen=True)
class BuildAccount:
    """An account in which the image can be built.

    Attributes:
        address: The embedded AWS.
        base_digest: What the registry has of the base.
    """

    address: Address
    base_digest: str

    @classmethod
    def prepare(cls, address: Address, storage: Storage, base: Base, settings: Settings) -> "BuildAccount":
        """Make repository and bucket as the artifact stack makes them, and push the base.

        Raises:
            StepFailedError: The base cannot be pushed.
        """
        ecr = address.client("ecr")
        ecr.create_repository(repositoryName=BASE_REPOSITORY)
        ecr.create_repository(repositoryName=IMAGE_REPOSITORY, imageTagMutability="IMMUTABLE")
        address.client("s3").create_bucket(Bucket=BUCKET)
        digest = push(storage, base.name, f"{settings.registry}/{BASE_REPOSITORY}:v1", Path(settings.scratch))
        return cls(address, digest)

    @property
    def registry(self) -> Registry:
        """The account's registry."""
        return Registry(urlsplit(self.address.emulator.url).netloc, self.address.emulator.certificate)

    def project_variables(self, tag: str) -> dict[str, str]:
        """Return the variables that the build project has for an image with this tag."""
        return {
            "BASE_REPOSITORY_URI": f"{HOST}/{BASE_REPOSITORY}",
            "BASE_DIGEST": self.base_digest,
            "BASE_REGISTRY_ACCOUNT": ACCOUNT,
            "IMAGE_REPOSITORY_URI": f"{HOST}/{IMAGE_REPOSITORY}",
            "IMAGE_TAG": tag,
            "IMAGE_PLATFORM": "linux/amd64",
            "ARTIFACT_BUCKET": BUCKET,
        }

    def published(self) -> dict[str, str]:
        """Return what is in the repository: digests by tag, of an image without tag by itself."""
        images = self.address.client("ecr").describe_images(repositoryName=IMAGE_REPOSITORY)["imageDetails"]
        return {tag: image["imageDigest"] for image in images for tag in image["imageTags"] or [image["imageDigest"]]}

    def stored(self, key: str) -> Any:
        """Return a JSON object of the bucket.

        Raises:
            StepFailedError: It is not there.
        """
        try:
            return json.loads(self.address.client("s3").get_object(Bucket=BUCKET, Key=key)["Body"].read())
        except ClientError as error:
            raise StepFailedError(f"s3://{BUCKET}/{key} cannot be read: {error}") from error

    def manifest(self, digest: str) -> Mapping[str, Any]:
        """Return a manifest of the image's repository as the registry stores it."""
        return self.registry.manifest(IMAGE_REPOSITORY, digest)


def push(storage: Storage, image: str, to: str, scratch: Path) -> str:
    """Push an image of the storage as a docker v2 schema 2 manifest and return the digest that it got.

    Raises:
        StepFailedError: The registry does not take it.
    """
    file = scratch / "digest"
    options = ("--format=v2s2", f"--digestfile={file}")
    storage.run("push", *options, image, f"docker://{to}", failure=f"{image} cannot be pushed to {to}.")
    return file.read_text("ascii").strip()
