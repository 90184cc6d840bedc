"""A registry of images in memory, and manifests of every kind to put in."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from image_manifest import DOCKER_CONFIG, DOCKER_IMAGE
from pin_image import on_event
from tests.unit.handlers.archives import request

HOST = "763104351884.dkr.ecr.eu-central-1.amazonaws.com"


def text(media_type: str, **fields: object) -> str:
    """A manifest as a registry stores it; its spaces are part of its digest."""
    return json.dumps({"schemaVersion": 2, "mediaType": media_type, **fields}, indent=3)


def digest_of(manifest: str) -> str:
    """The digest of a manifest."""
    return "sha256:" + hashlib.sha256(manifest.encode()).hexdigest()


# Every configuration that a manifest made here names, by its digest.
CONFIGS: dict[str, bytes] = {}
LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"


def config(architecture: str = "amd64", **labels: str) -> dict[str, str]:
    """What a manifest says about a configuration for this architecture, with these labels."""
    content = json.dumps({"os": "linux", "architecture": architecture, "config": {"Labels": labels or None}})
    digest = digest_of(content)
    CONFIGS[digest] = content.encode()
    return {"mediaType": DOCKER_CONFIG, "digest": digest}


def image(
    media_type: str = DOCKER_IMAGE, layer: str = "a", architecture: str = "amd64", content: str | None = "v1"
) -> str:
    """The manifest of an image with one layer, labelled with a content unless that is None."""
    labels = {"semif.content": content} if content else {}
    layers = [{"mediaType": LAYER, "digest": f"sha256:{layer}"}]
    return text(media_type, config=config(architecture, **labels), layers=layers)


def listing(media_type: str, *entries: tuple[str, str, str]) -> str:
    """An index of (manifest, operating system, architecture)."""
    return text(media_type, manifests=[entry(*given) for given in entries])


def entry(manifest: str, system: str, architecture: str, **annotations: str) -> dict[str, Any]:
    """One entry of an index."""
    noted = {"annotations": annotations} if annotations else {}
    return {"digest": digest_of(manifest), "platform": {"os": system, "architecture": architecture}, **noted}


@dataclass
class FakeRegistry:
    """A registry of manifests by tag; `late` answers pass before any of them can be seen.

    Attributes:
        tags: Manifest by tag.
        untagged: Manifests with no tag.
        mutability: What the repository says of its tags.
        configs: Configuration by digest.
        unreachable: So many downloads fail before one succeeds.
        asked: The image id of every call.
        slept: Every pause in seconds.
    """

    tags: dict[str, str] = field(default_factory=dict)
    untagged: Sequence[str] = ()
    late: int = 0
    failure: str = "ImageNotFound"
    lie: str = ""
    mutability: str = "IMMUTABLE"
    configs: Mapping[str, bytes] = field(default_factory=lambda: CONFIGS)
    unreachable: int = 0
    asked: list[dict[str, str]] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)

    def batch_get_image(
        self,
        *,
        registryId: str,  # noqa: N803 - ECR's own spelling, here and below
        repositoryName: str,  # noqa: N803
        imageIds: Sequence[dict[str, str]],  # noqa: N803
        acceptedMediaTypes: Sequence[str],  # noqa: N803
    ) -> dict[str, Any]:
        """Return the image asked for, once it can be seen."""
        assert (registryId, repositoryName) == ("763104351884", "llama-cpp")
        self.asked.append(imageIds[0])
        stored = {digest_of(manifest): manifest for manifest in (*self.tags.values(), *self.untagged)}
        wanted = imageIds[0].get("imageTag") or imageIds[0]["imageDigest"]
        found = self.tags.get(wanted) or stored.get(wanted)
        if found is None or len(self.asked) <= self.late:
            return {"images": [], "failures": [{"failureCode": self.failure, "failureReason": "not there"}]}
        media_type = json.loads(found).get("mediaType", DOCKER_IMAGE)
        assert media_type in acceptedMediaTypes
        image_id = {"imageDigest": digest_of(found), **imageIds[0]}
        return {
            "images": [{"imageId": image_id, "imageManifest": found + self.lie, "imageManifestMediaType": media_type}]
        }

    def get_download_url_for_layer(
        self,
        *,
        registryId: str,  # noqa: N803
        repositoryName: str,  # noqa: N803
        layerDigest: str,  # noqa: N803
    ) -> dict[str, Any]:
        """Return an address with a signature, which nothing may repeat."""
        assert (registryId, repositoryName) == ("763104351884", "llama-cpp")
        return {"downloadUrl": f"https://layers.example/{layerDigest}?signature=secret"}

    def describe_repositories(self, *, registryId: str, repositoryNames: Sequence[str]) -> dict[str, Any]:  # noqa: N803
        """Return what the repository's tags are."""
        assert (registryId, list(repositoryNames)) == ("763104351884", ["llama-cpp"])
        return {"repositories": [{"imageTagMutability": self.mutability}]}

    def fetch(self, url: str) -> bytes:
        """Return a configuration by its address."""
        if self.unreachable:
            self.unreachable -= 1
            raise OSError(url)
        return self.configs[url.removeprefix("https://layers.example/").removesuffix("?signature=secret")]


def properties(reference: str, changes: Mapping[str, object] = MappingProxyType({})) -> dict[str, object]:
    """The properties that ask for one reference, but for some changes."""
    return {
        "ServiceToken": "arn",
        "RegistryId": "763104351884",
        "RepositoryName": "llama-cpp",
        "RepositoryUri": f"{HOST}/llama-cpp",
        "Reference": reference,
        "Platform": "linux/amd64",
        "Tags": "refused" if reference.startswith("sha256:") else "content",
        "HandlerVersion": "1",
        **changes,
    }


def ask(registry: FakeRegistry, reference: str, changes: Mapping[str, object] = MappingProxyType({})) -> dict[str, Any]:
    """Drive the handler with a create and return its data."""
    regions: list[str] = []

    def client(region: str) -> FakeRegistry:
        regions.append(region)
        return registry

    event = request("Create", properties(reference, changes))
    answered = on_event(event, None, client, registry.slept.append, registry.fetch)

    assert regions == ["eu-central-1"]
    data = answered["Data"]
    assert isinstance(data, dict)
    return data
