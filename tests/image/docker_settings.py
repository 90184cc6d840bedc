"""What the stand-in for docker is told: where buildah's storage and the registry are."""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tests.image.buildah import Storage
from tests.image.registry import Registry

SETTINGS = "SEMIF_IMAGE_TEST_DOCKER"
"""The variable that names the settings' file."""


@dataclass(frozen=True)
class Settings:
    """Where everything is.

    Attributes:
        storage: Folder of buildah's storage.
        scratch: Folder of what is remembered between calls.
        registry: Host and port.
        certificate: The one that proves the registry.
        mounts: What a build sees of this machine, so that its pip finds packages: pairs of paths.
    """

    storage: str
    scratch: str
    registry: str
    certificate: str
    mounts: list[tuple[str, str]]

    def write(self, path: Path) -> None:
        """Write the settings where `read` finds them."""
        path.write_text(json.dumps(asdict(self)), "utf-8")

    @classmethod
    def read(cls, path: Path) -> "Settings":
        """Read what `write` wrote."""
        return cls(**json.loads(path.read_text("utf-8")))

    def of_machine(self, name: str) -> "Settings":
        """Return the settings of another machine, which shares nothing with this one but the registry."""
        scratch = Path(self.scratch) / name
        scratch.mkdir()
        return replace(self, storage=str(scratch / "storage"), scratch=str(scratch))

    def open_registry(self) -> Registry:
        """Return the registry."""
        return Registry(self.registry, self.certificate)

    def open_storage(self, *names: str) -> Storage:
        """Return the storage, which looks for images of these registries where the registry is, and nowhere else."""
        found = [f'[[registry]]\nprefix = "{name}"\nlocation = "{self.registry}"\n' for name in names]
        blocked = '[[registry]]\nlocation = "docker.io"\nblocked = true\n'
        file = Path(self.scratch) / "registries.conf"
        file.write_text("\n".join(("unqualified-search-registries = []", blocked, *found)), "utf-8")
        if not self.logins.exists():
            self.logins.write_text("{}", "ascii")  # buildah refuses to begin without it
        return Storage(
            Path(self.storage),
            options=(f"--registries-conf={file}",),
            environment={"SSL_CERT_FILE": self.certificate, "REGISTRY_AUTH_FILE": str(self.logins)},
        )

    @property
    def logins(self) -> Path:
        """Where buildah keeps what it is logged in to."""
        return Path(self.scratch) / "auth.json"
