# ruff: noqa: N803 - the keywords of the client's call are ECR's own
"""The configuration of an image: what it says about itself, under the digest that its manifest names."""

import hashlib
import json
import re
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from image_manifest import Manifest, Repository
from lifecycle import RefusedError
from propagation import PAUSES_SECONDS, until_allowed

# Configurations are some kB; nobody needs a larger one, and the function's memory is bounded.
LONGEST_BYTES = 4 * 1024 * 1024
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_TIMEOUT_SECONDS = 20

Fetch = Callable[[str], bytes]


class Layers(Protocol):
    """The one ECR call made here; a configuration is stored as a layer is."""

    def get_download_url_for_layer(
        self, *, registryId: str, repositoryName: str, layerDigest: str
    ) -> Mapping[str, Any]:
        """Return a signed address of the layer."""


@dataclass(frozen=True)
class ImageConfig:
    """What an image is built for, such as linux/arm64, and its labels."""

    platform: str
    labels: Mapping[str, str]


def image_config(layers: Layers, repository: Repository, manifest: Manifest, fetch: Fetch) -> ImageConfig:
    """Read the configuration that a manifest names.

    Args:
        layers: The ECR client.
        repository: Where the manifest was found.
        manifest: The image's.
        fetch: Returns at most LONGEST_BYTES + 1 bytes of an address.

    Raises:
        RefusedError: Its digest is malformed, its bytes are others, or they are not a configuration.
    """
    digest, named = str(manifest.body["config"].get("digest")), f"{repository.name}@{manifest.digest}"
    if not _DIGEST.fullmatch(digest):
        raise RefusedError(f"{named} names its configuration by a malformed digest: {digest[:80]!r}.")
    where = until_allowed(
        lambda: layers.get_download_url_for_layer(
            registryId=repository.registry_id, repositoryName=repository.name, layerDigest=digest
        ),
        repository.sleep,
    )
    content = _fetched(str(where["downloadUrl"]), named, fetch, repository.sleep)
    if len(content) > LONGEST_BYTES:
        raise RefusedError(f"The configuration of {named} has more than {LONGEST_BYTES} bytes.")
    found = "sha256:" + hashlib.sha256(content).hexdigest()
    if found != digest:
        raise RefusedError(f"The configuration of {named} hashes to {found}, its manifest names {digest}.")
    return _parsed(content, named)


def download(url: str) -> bytes:
    """Return what is at an https address, at most LONGEST_BYTES + 1 bytes of it.

    Raises:
        RefusedError: The address is another kind.
        OSError: It cannot be read.
    """
    if not url.startswith("https://"):
        raise RefusedError("The registry gave an address that is not https.")
    with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as response:  # noqa: S310 - checked above
        content: bytes = response.read(LONGEST_BYTES + 1)
    return content


def _fetched(url: str, named: str, fetch: Fetch, sleep: Callable[[float], None]) -> bytes:
    # The address is signed, so no sentence repeats it, and neither does the error of whoever opened it.
    for pause in (*PAUSES_SECONDS, None):
        try:
            return fetch(url)
        except OSError as error:
            if pause is None:
                raise RefusedError(
                    f"The configuration of {named} cannot be downloaded: {type(error).__name__}."
                ) from None
            sleep(pause)
    raise AssertionError("the loop returns or raises")


def _parsed(content: bytes, named: str) -> ImageConfig:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"The configuration of {named} is not JSON.") from error
    if not isinstance(document, dict):
        raise RefusedError(f"The configuration of {named} is not a JSON object.")
    inner = document.get("config")
    labels = inner.get("Labels") if isinstance(inner, dict) else None
    return ImageConfig(
        platform=f"{document.get('os')}/{document.get('architecture')}",
        labels=labels if isinstance(labels, dict) else {},
    )
