"""Manifests that stand in the emulated registry for images nobody built here. Their one layer is an empty tar."""

import hashlib
import json
from dataclasses import dataclass
from typing import Final

MANIFEST_TYPE: Final = "application/vnd.docker.distribution.manifest.v2+json"
CONFIG_TYPE: Final = "application/vnd.docker.container.image.v1+json"
LAYER_TYPE: Final = "application/vnd.docker.image.rootfs.diff.tar"
# A tar without members is two blocks of zeros; not compressed, so that its digest depends on no library.
LAYER: Final = bytes(1024)

# What an image is, said by the image itself: the label that the endpoint reads before it starts a process.
ROLE_LABEL: Final = "semif.stand-in-for"
CONTENT_LABEL: Final = "semif.content"
BASE_LABEL: Final = "semif.base"
CHAT_ROLE: Final = "aws-llama-cpp-container"
DECISION_ROLE: Final = "semif-decision-container"


@dataclass(frozen=True)
class StandInImage:
    """A docker v2 schema 2 manifest and its config blob, both canonical JSON: equal labels give equal digests."""

    manifest: bytes
    config: bytes

    @property
    def digest(self) -> str:
        """The manifest's digest, `sha256:` and 64 hex digits."""
        return digest(self.manifest)


def stand_in(labels: dict[str, str]) -> StandInImage:
    """Return the stand-in image with the given labels."""
    config = _canonical(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {"Labels": labels},
            "rootfs": {"type": "layers", "diff_ids": [digest(LAYER)]},
        }
    )
    manifest = _canonical(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST_TYPE,
            "config": {"mediaType": CONFIG_TYPE, "size": len(config), "digest": digest(config)},
            "layers": [{"mediaType": LAYER_TYPE, "size": len(LAYER), "digest": digest(LAYER)}],
        }
    )
    return StandInImage(manifest=manifest, config=config)


def dlc_image() -> StandInImage:
    """Return the stand-in for AWS's Deep Learning Container for llama.cpp; its digest is pinned in `local.toml`."""
    return stand_in({ROLE_LABEL: CHAT_ROLE})


def decision_image(content: str, base_digest: str) -> StandInImage:
    """Return the stand-in for the decision image with this content hash, made on the base with this digest."""
    return stand_in({ROLE_LABEL: DECISION_ROLE, CONTENT_LABEL: content, BASE_LABEL: base_digest})


def digest(content: bytes) -> str:
    """Return the registry's name for a content: `sha256:` and 64 hex digits."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _canonical(document: object) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
