"""The one image of a platform that a tag or digest leads to, in the format that SageMaker takes."""

import re
from collections.abc import Mapping
from typing import Any

from image_manifest import DOCKER_CONFIG, DOCKER_IMAGE, DOCKER_LIST, OCI_INDEX, Manifest, Repository
from lifecycle import RefusedError

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
# buildx keeps what it attests beside an image as a manifest of its own, which says so in the list and in its layers.
_ATTESTS = "vnd.docker.reference.type"
_STATEMENT = "in-toto"


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
    config, layers = manifest.body.get("config"), _layers(manifest)
    if manifest.body.get("schemaVersion") != 2 or not isinstance(config, dict) or not layers:  # noqa: PLR2004 - "schema 2" is the format's name
        raise RefusedError(f"{repository.name}@{manifest.digest} is no complete docker schema 2 manifest.")
    if any(_STATEMENT in str(layer.get("mediaType")) for layer in layers):
        raise RefusedError(f"{repository.name}@{manifest.digest} is an attestation, not an image.")
    if config.get("mediaType") != DOCKER_CONFIG:
        kind = str(config.get("mediaType"))[:200]
        raise RefusedError(
            f"{repository.name}@{manifest.digest} has a configuration of type {kind}, not {DOCKER_CONFIG}."
        )
    return manifest


def _layers(manifest: Manifest) -> list[dict[str, Any]]:
    """Return the manifest's layers, or none if one of them is not described by an object."""
    layers = manifest.body.get("layers")
    if not isinstance(layers, list) or not all(isinstance(layer, dict) for layer in layers):
        return []
    return layers


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
    if not _DIGEST.fullmatch(digest):
        raise RefusedError(f"{name}@{index.digest} lists an image for {platform} without a digest: {digest[:80]!r}.")
    return digest


def _fits(entry: Mapping[str, Any], wanted: str) -> bool:
    platform, notes = entry.get("platform"), entry.get("annotations")
    if isinstance(notes, dict) and _ATTESTS in notes:
        return False
    return isinstance(platform, dict) and f"{platform.get('os')}/{platform.get('architecture')}" == wanted
