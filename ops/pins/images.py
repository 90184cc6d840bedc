"""Images in a registry: whether a tag or digest is there, and which image of a platform it comes to."""

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from config.settings import Settings

if TYPE_CHECKING:
    from types_boto3_ecr import ECRClient
    from types_boto3_ecr.type_defs import ImageIdentifierTypeDef

DOCKER_IMAGE: Final = "application/vnd.docker.distribution.manifest.v2+json"
_INDEXES: Final = (
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.index.v1+json",
)
_ACCEPTED: Final = (DOCKER_IMAGE, *_INDEXES, "application/vnd.oci.image.manifest.v1+json")
# In most commercial regions; elsewhere environment.registry_account, or a deployed stack, says which it is.
_USUAL_ACCOUNT: Final = "763104351884"


class ImageError(LookupError):
    """An image is not there, or SageMaker would refuse it."""


@dataclass(frozen=True)
class Image:
    """One manifest."""

    digest: str
    media_type: str
    manifest: dict[str, Any]

    def digests(self) -> list[str]:
        """Return the manifest's own digest, and those of the images that it lists."""
        return [self.digest, *(str(entry.get("digest")) for entry in self.manifest.get("manifests", []))]


def registry_account(settings: Settings, image_uri: str) -> tuple[str, str]:
    """Return the account of the containers' registry, and how it is known.

    Args:
        settings: They may name it.
        image_uri: The image of the deployed chat endpoint, or nothing.
    """
    if settings.environment.registry_account:
        return settings.environment.registry_account, "environment.registry_account"
    if ".dkr.ecr." in image_uri:
        return image_uri.partition(".")[0], "the deployed image"
    return _USUAL_ACCOUNT, "the account of most commercial regions; environment.registry_account names another"


def find(ecr: "ECRClient", account: str, repository: str, reference: str) -> Image:
    """Return the manifest behind a digest or tag.

    Raises:
        ImageError: It is not there, or its bytes are not those of the digest.
        botocore.exceptions.ClientError: The repository is not there, or the caller may not look.
    """
    wanted: ImageIdentifierTypeDef = (
        {"imageDigest": reference} if reference.startswith("sha256:") else {"imageTag": reference}
    )
    answer = ecr.batch_get_image(
        registryId=account, repositoryName=repository, imageIds=[wanted], acceptedMediaTypes=list(_ACCEPTED)
    )
    if not answer["images"]:
        raise ImageError(f"{account}/{repository} holds no image {reference}")
    found = answer["images"][0]
    text = found.get("imageManifest", "")
    digest = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    if digest != found.get("imageId", {}).get("imageDigest"):
        raise ImageError(f"{account}/{repository}: the manifest of {reference} has digest {digest}")
    manifest: dict[str, Any] = json.loads(text)
    media_type = found.get("imageManifestMediaType") or str(manifest.get("mediaType"))
    return Image(digest, media_type, manifest)


def of_platform(ecr: "ECRClient", account: str, repository: str, reference: str, platform: str) -> Image:
    """Return the one image of a platform behind a digest or tag, in the format that SageMaker takes.

    Raises:
        ImageError: There is none, there are several, or it has another format.
        botocore.exceptions.ClientError: As `find`.
    """
    image = find(ecr, account, repository, reference)
    if image.media_type in _INDEXES:
        entries = [entry for entry in image.manifest.get("manifests", []) if _platform(entry) == platform]
        if len(entries) != 1:
            raise ImageError(f"{repository}: {reference} lists {len(entries)} images for {platform}; one is needed")
        image = find(ecr, account, repository, str(entries[0].get("digest")))
    if image.media_type != DOCKER_IMAGE:
        raise ImageError(f"{repository}: {image.digest} is a {image.media_type}; SageMaker takes {DOCKER_IMAGE}")
    return image


def _platform(entry: dict[str, Any]) -> str:
    platform = entry.get("platform") or {}
    return f"{platform.get('os')}/{platform.get('architecture')}"
