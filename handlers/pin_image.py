"""Resolve an image's tag or digest to the one platform image that SageMaker accepts, and prove that it is there.

`on_event` belongs to the custom resource behind PinnedImage. It reads manifests with ecr:BatchGetImage, which the
registry of the Deep Learning Containers allows across accounts, and writes nothing. The platform of an image that is
not in a list stands in its configuration, which that call does not return: such an image is taken at its pin's word.
"""

import hashlib
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import boto3

from lifecycle import Answer, RefusedError, answer, text_properties

DOCKER_IMAGE = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
OCI_IMAGE = "application/vnd.oci.image.manifest.v1+json"
OCI_INDEX = "application/vnd.oci.image.index.v1+json"

PROPERTIES = {
    "RegistryId": re.compile(r"[0-9]{12}"),
    "RepositoryName": re.compile(r"[a-z0-9][a-z0-9._/-]{1,199}"),
    "RepositoryUri": re.compile(r"[0-9]{12}\.dkr\.ecr\.[a-z0-9-]+\.[a-z0-9.-]+/[a-z0-9._/-]+"),
    "Reference": re.compile(r"sha256:[0-9a-f]{64}|[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"),
    "HandlerVersion": re.compile(r"[!-~]{1,128}"),
}
IMAGE_URI_CHARACTERS = 255  # SageMaker's limit
PAUSES_SECONDS = (1, 2, 4, 8)
"""A push can be answered before every reader sees it, so an image that is not there is asked for again."""


class Registry(Protocol):
    """The one ECR call made here."""

    def batch_get_image(
        self,
        *,
        registryId: str,  # noqa: N803 - ECR's own spelling, here and below
        repositoryName: str,  # noqa: N803
        imageIds: Sequence[Any],  # noqa: N803
        acceptedMediaTypes: Sequence[str],  # noqa: N803
    ) -> Mapping[str, Any]:
        """Return manifests, and failures beside them."""


@dataclass(frozen=True)
class Manifest:
    """One manifest as the registry stores it, already checked against its digest."""

    digest: str
    media_type: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Repository:
    """A repository, able to read its manifests.

    Args:
        registry: The ECR client.
        registry_id: Account of the registry.
        name: Name within it.
        sleep: Waits between attempts.
    """

    registry: Registry
    registry_id: str
    name: str
    sleep: Callable[[float], None]

    def manifest(self, reference: str) -> Manifest:
        """Read the manifest of a tag or digest.

        Raises:
            RefusedError: It is not there, not JSON, or does not hash to its digest.
        """
        image = self._image(reference)
        text = str(image["imageManifest"])
        digest = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
        for claimed in {image["imageId"].get("imageDigest", digest), reference if "sha256:" in reference else digest}:
            if claimed != digest:
                raise RefusedError(
                    f"{self.name} {reference}: the manifest hashes to {digest}, asked for was {claimed}."
                )
        try:
            body = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise RefusedError(f"{self.name} {reference}: the manifest is not JSON.") from error
        if not isinstance(body, dict):
            raise RefusedError(f"{self.name} {reference}: the manifest is not a JSON object.")
        media_type = str(image.get("imageManifestMediaType") or body.get("mediaType"))
        if body.get("mediaType", media_type) != media_type:
            raise RefusedError(f"{self.name} {reference}: stored as {media_type}, but says {body['mediaType']!r}.")
        return Manifest(digest, media_type, body)

    def _image(self, reference: str) -> Mapping[str, Any]:
        image_id = {"imageDigest" if reference.startswith("sha256:") else "imageTag": reference}
        failure: Mapping[str, Any] = {}
        for pause in (*PAUSES_SECONDS, 0):
            found = self.registry.batch_get_image(
                registryId=self.registry_id,
                repositoryName=self.name,
                imageIds=[image_id],
                acceptedMediaTypes=[DOCKER_IMAGE, DOCKER_LIST, OCI_IMAGE, OCI_INDEX],
            )
            if found.get("images"):
                image: Mapping[str, Any] = found["images"][0]
                return image
            failure = (found.get("failures") or [{}])[0]
            if failure.get("failureCode") != "ImageNotFound":
                break
            self.sleep(pause)
        code, reason = failure.get("failureCode", "no answer"), failure.get("failureReason", "")
        raise RefusedError(
            f"Repository {self.name} of registry {self.registry_id} has no image {reference} ({code}: {reason})."
        )


def platform_image(repository: Repository, reference: str) -> Manifest:
    """Return the linux/amd64 image behind a reference as a docker schema 2 manifest.

    Raises:
        RefusedError: There is none, there are several, or it has a format that SageMaker refuses.
    """
    manifest = repository.manifest(reference)
    if manifest.media_type in (DOCKER_LIST, OCI_INDEX):
        manifest = repository.manifest(_linux_amd64(manifest, repository.name))
    if manifest.media_type != DOCKER_IMAGE:
        raise RefusedError(
            f"{repository.name}@{manifest.digest} is a {manifest.media_type}; SageMaker refuses everything but "
            f"{DOCKER_IMAGE}: build it with --provenance=false --sbom=false and the output option oci-mediatypes=false."
        )
    if manifest.body.get("schemaVersion") != 2 or not manifest.body.get("config") or not manifest.body.get("layers"):  # noqa: PLR2004 - "schema 2" is the format's name
        raise RefusedError(f"{repository.name}@{manifest.digest} is no complete docker schema 2 manifest.")
    return manifest


def _linux_amd64(index: Manifest, name: str) -> str:
    entries = index.body.get("manifests")
    platforms = [
        entry for entry in (entries if isinstance(entries, list) else []) if isinstance(entry, dict) and _fits(entry)
    ]
    if len(platforms) != 1 or not re.fullmatch(r"sha256:[0-9a-f]{64}", str(platforms[0].get("digest"))):
        raise RefusedError(f"{name}@{index.digest} lists {len(platforms)} images for linux/amd64; one is needed.")
    return str(platforms[0]["digest"])


def _fits(entry: Mapping[str, Any]) -> bool:
    platform = entry.get("platform")
    return isinstance(platform, dict) and (platform.get("os"), platform.get("architecture")) == ("linux", "amd64")


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
    image = platform_image(Repository(registry(region), registry_id, name, sleep), given["Reference"])
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
