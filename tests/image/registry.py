"""The registry on this machine, read by the registry's own HTTP API: what was pushed, as it is stored."""

import hashlib
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

MANIFEST_TYPES = (
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.oci.image.index.v1+json",
)


class RegistryError(RuntimeError):
    """The registry does not have it, or has other bytes than their digest says."""


class Registry:
    """A registry at a host and port, proven by a certificate."""

    def __init__(self, address: str, certificate: str) -> None:
        self._address, self._trust = address, ssl.create_default_context(cafile=certificate)

    def manifest(self, repository: str, digest: str) -> dict[str, Any]:
        """Return a manifest by its digest.

        Raises:
            RegistryError: It is not there, or is another one.
        """
        return self._document(f"/v2/{repository}/manifests/{digest}", digest)

    def config(self, repository: str, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Return the configuration that a manifest names.

        Raises:
            RegistryError: It is not there, or is another one.
        """
        digest = manifest["config"]["digest"]
        return self._document(f"/v2/{repository}/blobs/{digest}", digest)

    def _document(self, path: str, digest: str) -> dict[str, Any]:
        accepted = {"Accept": ", ".join(MANIFEST_TYPES)}
        request = urllib.request.Request(f"https://{self._address}{path}", headers=accepted)
        try:
            with urllib.request.urlopen(request, context=self._trust, timeout=30) as response:  # noqa: S310 - as above
                content: bytes = response.read()
        except urllib.error.HTTPError as error:
            raise RegistryError(f"the registry answers {error.code} for {path}") from error
        found = f"sha256:{hashlib.sha256(content).hexdigest()}"
        if found != digest:
            raise RegistryError(f"{path} holds {found}")
        document: dict[str, Any] = json.loads(content)
        return document
