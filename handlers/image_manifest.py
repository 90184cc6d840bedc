# ruff: noqa: N803 - the keywords of the client's call are ECR's own
"""Manifests of images in a registry, read with a call that the Deep Learning Containers' registry allows."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lifecycle import RefusedError
from propagation import PAUSES_SECONDS

DOCKER_IMAGE = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
OCI_IMAGE = "application/vnd.oci.image.manifest.v1+json"
DOCKER_CONFIG = "application/vnd.docker.container.image.v1+json"
OCI_INDEX = "application/vnd.oci.image.index.v1+json"


class Registry(Protocol):
    """The one ECR call made here."""

    def batch_get_image(
        self,
        *,
        registryId: str,
        repositoryName: str,
        imageIds: Sequence[Any],
        acceptedMediaTypes: Sequence[str],
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
