"""Resolve an image's tag or digest to the one image of a platform that SageMaker accepts, and prove that it is there.

`on_event` belongs to the custom resource behind PinnedImage. It reads manifests and configurations and writes nothing.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

import boto3

from image_config import Fetch, ImageConfig, Layers, download, image_config
from image_manifest import Registry, Repository
from lifecycle import Answer, RefusedError, answer, text_properties
from platform_image import platform_image
from propagation import until_allowed

PROPERTIES = {
    "RegistryId": re.compile(r"[0-9]{12}"),
    "RepositoryName": re.compile(r"[a-z0-9][a-z0-9._/-]{1,199}"),
    "RepositoryUri": re.compile(r"[0-9]{12}\.dkr\.ecr\.[a-z0-9-]+\.[a-z0-9.-]+/[a-z0-9._/-]+"),
    "Platform": re.compile(r"linux/(?:amd64|arm64)"),
    "Reference": re.compile(r"sha256:[0-9a-f]{64}|[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"),
    # Whether the reference may be a tag: never, or one made of the content, which the image then says itself.
    "Tags": re.compile(r"refused|content"),
    "HandlerVersion": re.compile(r"[!-~]{1,128}"),
}
IMAGE_URI_CHARACTERS = 255  # SageMaker's limit
CONTENT_LABEL = "semif.content"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class Ecr(Registry, Layers, Protocol):
    """The ECR calls made here."""

    def describe_repositories(self, *, registryId: str, repositoryNames: Sequence[str]) -> Mapping[str, Any]:  # noqa: N803 - ECR's own spelling
        """Return what the repositories are set to."""


def check_tag(ecr: Ecr, repository: Repository, reference: str, tags: str) -> None:
    """Refuse a tag where only digests are accepted, and a tag that may move.

    Raises:
        RefusedError: The sentence says why.
    """
    if _DIGEST.fullmatch(reference):
        return
    if tags == "refused":
        raise RefusedError(f"Reference: {reference} is a tag, which may move; a digest (sha256:…) is required.")
    found = until_allowed(
        lambda: ecr.describe_repositories(registryId=repository.registry_id, repositoryNames=[repository.name]),
        repository.sleep,
    )
    mutability = found["repositories"][0].get("imageTagMutability")
    if mutability != "IMMUTABLE":
        raise RefusedError(f"Repository {repository.name} has tags that are {mutability}, so {reference} may move.")


def check_config(config: ImageConfig, given: Mapping[str, str], named: str) -> None:
    """Refuse an image of another platform, or of other content than its tag is made of.

    Raises:
        RefusedError: The sentence says what it is and what is wanted.
    """
    if config.platform != given["Platform"]:
        raise RefusedError(f"{named} is an image for {config.platform}; wanted is {given['Platform']}.")
    label = config.labels.get(CONTENT_LABEL)
    if not _DIGEST.fullmatch(given["Reference"]) and label != given["Reference"]:
        raise RefusedError(f"{named} is labelled {CONTENT_LABEL} = {label}, but tagged {given['Reference']}.")


def pin(event: Mapping[str, object], ecr: Callable[[str], Ecr], sleep: Callable[[float], None], fetch: Fetch) -> Answer:
    """Resolve the image that the event's properties name.

    Raises:
        RefusedError: A property is malformed, or there is no image that SageMaker accepts.
    """
    given = text_properties(event, PROPERTIES)
    registry_id, name, uri = given["RegistryId"], given["RepositoryName"], given["RepositoryUri"]
    host, _, path = uri.partition("/")
    if path != name or not host.startswith(f"{registry_id}."):
        raise RefusedError(f"RepositoryUri: {uri} is not repository {name} of registry {registry_id}")
    region = host.split(".")[3]
    client = ecr(region)
    repository = Repository(client, registry_id, name, sleep)
    check_tag(client, repository, given["Reference"], given["Tags"])
    image = platform_image(repository, given["Reference"], given["Platform"])
    image_uri = f"{uri}@{image.digest}"
    if len(image_uri) > IMAGE_URI_CHARACTERS:
        raise RefusedError(f"RepositoryUri: {image_uri} is longer than {IMAGE_URI_CHARACTERS} characters")
    check_config(image_config(client, repository, image, fetch), given, f"{name}@{image.digest}")
    return {"Data": {"ImageUri": image_uri, "Digest": image.digest, "MediaType": image.media_type}}


@cache
def _ecr(region: str) -> Ecr:
    return boto3.client("ecr", region_name=region)


def on_event(
    event: Mapping[str, object],
    _context: object,
    ecr: Callable[[str], Ecr] = _ecr,
    sleep: Callable[[float], None] = time.sleep,
    fetch: Fetch = download,
) -> Answer:
    """Answer the provider framework; `ecr` makes the client of a region when one is needed."""
    return answer(event, lambda: pin(event, ecr, sleep, fetch))
