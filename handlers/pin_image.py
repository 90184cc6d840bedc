"""Resolve an image's tag or digest to the one image of a platform that SageMaker accepts, and prove that it is there.

`on_event` belongs to the custom resource behind PinnedImage. It reads manifests and writes nothing. The platform of an
image that is not in a list stands in its configuration, which BatchGetImage does not return: such an image is taken at
its pin's word.
"""

import re
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import boto3

from image_manifest import DOCKER_IMAGE, DOCKER_LIST, OCI_INDEX, Manifest, Registry, Repository
from lifecycle import Answer, RefusedError, answer, text_properties

PROPERTIES = {
    "RegistryId": re.compile(r"[0-9]{12}"),
    "RepositoryName": re.compile(r"[a-z0-9][a-z0-9._/-]{1,199}"),
    "RepositoryUri": re.compile(r"[0-9]{12}\.dkr\.ecr\.[a-z0-9-]+\.[a-z0-9.-]+/[a-z0-9._/-]+"),
    "Platform": re.compile(r"linux/(?:amd64|arm64)"),
    "Reference": re.compile(r"sha256:[0-9a-f]{64}|[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"),
    "HandlerVersion": re.compile(r"[!-~]{1,128}"),
}
IMAGE_URI_CHARACTERS = 255  # SageMaker's limit


def platform_image(repository: Repository, reference: str, platform: str) -> Manifest:
    """Return the image for a platform, such as linux/arm64, behind a reference as a docker schema 2 manifest.

    Raises:
        RefusedError: There is none, there are several, or it has a format that SageMaker refuses.
    """
    manifest = repository.manifest(reference)
    if manifest.media_type in (DOCKER_LIST, OCI_INDEX):
        manifest = repository.manifest(_of_platform(manifest, repository.name, platform))
    if manifest.media_type != DOCKER_IMAGE:
        raise RefusedError(
            f"{repository.name}@{manifest.digest} is a {manifest.media_type}; SageMaker refuses everything but "
            f"{DOCKER_IMAGE}: build it with --provenance=false --sbom=false and the output option oci-mediatypes=false."
        )
    if manifest.body.get("schemaVersion") != 2 or not manifest.body.get("config") or not manifest.body.get("layers"):  # noqa: PLR2004 - "schema 2" is the format's name
        raise RefusedError(f"{repository.name}@{manifest.digest} is no complete docker schema 2 manifest.")
    return manifest


def _of_platform(index: Manifest, name: str, platform: str) -> str:
    entries = index.body.get("manifests")
    platforms = [
        entry
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict) and _fits(entry, platform)
    ]
    if len(platforms) != 1:
        raise RefusedError(f"{name}@{index.digest} lists {len(platforms)} images for {platform}; one is needed.")
    digest = str(platforms[0].get("digest"))
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", digest):
        raise RefusedError(f"{name}@{index.digest} lists an image for {platform} without a digest: {digest[:80]!r}.")
    return digest


def _fits(entry: Mapping[str, Any], wanted: str) -> bool:
    platform = entry.get("platform")
    return isinstance(platform, dict) and f"{platform.get('os')}/{platform.get('architecture')}" == wanted


def pin(event: Mapping[str, object], registry: Callable[[str], Registry], sleep: Callable[[float], None]) -> Answer:
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
    repository = Repository(registry(region), registry_id, name, sleep)
    image = platform_image(repository, given["Reference"], given["Platform"])
    image_uri = f"{uri}@{image.digest}"
    if len(image_uri) > IMAGE_URI_CHARACTERS:
        raise RefusedError(f"RepositoryUri: {image_uri} is longer than {IMAGE_URI_CHARACTERS} characters")
    return {"Data": {"ImageUri": image_uri, "Digest": image.digest, "MediaType": image.media_type}}


@cache
def _ecr(region: str) -> Registry:
    return boto3.client("ecr", region_name=region)


def on_event(
    event: Mapping[str, object],
    _context: object,
    registry: Callable[[str], Registry] = _ecr,
    sleep: Callable[[float], None] = time.sleep,
) -> Answer:
    """Answer the provider framework; `registry` makes the ECR client of a region when one is needed."""
    return answer(event, lambda: pin(event, registry, sleep))
