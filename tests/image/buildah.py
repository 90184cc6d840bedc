"""buildah with storage of its own: images, containers and temporary files stay under one folder."""

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.image.failure import StepFailedError

# The library below buildah remembers blobs here, whatever storage it is told to use.
_SYSTEM_CACHE = Path("/var/lib/containers")


@dataclass(frozen=True)
class Mount:
    """A file or folder of the host that a build sees read-only at a path of the image."""

    host: Path
    inside: str


@dataclass(frozen=True)
class ImageConfig:
    """What an image says of itself; `digest` is its docker manifest's, with the sha256: prefix."""

    digest: str
    media_type: str
    environment: Mapping[str, str]
    entrypoint: Sequence[str]
    user: str
    working_directory: str
    labels: Mapping[str, str]


class Storage:
    """One folder of images and working containers, driven by the plain vfs driver.

    Args:
        folder: Where they lie.
        options: What every command is told besides.
        environment: Variables that every command gets besides.
    """

    def __init__(
        self, folder: Path, *, options: Sequence[str] = (), environment: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._folder, self._options, self._environment = folder, options, environment

    def run(self, *arguments: str, failure: str) -> str:
        """Run one buildah command and return what it prints.

        Raises:
            StepFailedError: with the sentence in `failure`, when the command ends with another status than 0.
        """
        done = self.attempt(*arguments)
        if done.returncode != 0:
            raise StepFailedError(failure, done.stdout + done.stderr)
        return done.stdout.strip()

    def attempt(self, *arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run one buildah command, whatever its status, with a text on its standard input."""
        folders = (f"--root={self._folder / 'storage'}", f"--runroot={self._folder / 'run'}")
        temporary = self._folder / "tmp"
        temporary.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "TMPDIR": str(temporary), **self._environment}
        # Named as an option: with --root, buildah does not read STORAGE_DRIVER.
        command = ("buildah", *folders, "--storage-driver=vfs", *self._options, *arguments)
        return subprocess.run(command, env=environment, input=given, text=True, capture_output=True, check=False)

    def build(
        self, context: Path, *, name: str, base: str, label: str, mounts: Sequence[Mount]
    ) -> subprocess.CompletedProcess[str]:
        """Build the context's Dockerfile on a base named by digest, as the build project does, without a daemon."""
        volumes = (f"--volume={mount.host}:{mount.inside}:ro" for mount in mounts)
        options = ("--isolation=chroot", "--network=host", "--pull-never", "--format=docker", "--layers=false")
        identity = (f"--build-arg=BASE_IMAGE={base}", f"--label=semif.content={label}", f"--tag={name}")
        dockerfile = f"--file={context / 'Dockerfile'}"
        return self.attempt("build", *options, *identity, *volumes, dockerfile, str(context))

    def image(self, name: str) -> ImageConfig | None:
        """Return what an image says of itself, or None when there is no such image."""
        if self.attempt("images", "--quiet", name).returncode != 0:
            return None
        document: dict[str, Any] = json.loads(
            self.run("inspect", "--type=image", name, failure=f"{name} cannot be read.")
        )
        config = document["Docker"]["config"]
        return ImageConfig(
            digest=document["FromImageDigest"],
            media_type=json.loads(document["Manifest"])["mediaType"],
            environment=dict(entry.split("=", 1) for entry in config.get("Env") or ()),
            entrypoint=tuple(config.get("Entrypoint") or ()),
            user=config.get("User") or "0:0",
            working_directory=config.get("WorkingDir") or "/",
            labels=config.get("Labels") or {},
        )

    @contextlib.contextmanager
    def container(self, image: str) -> Iterator[Path]:
        """Give the root file system of a new working container of an image, or of an empty one named scratch."""
        name = self.run("from", "--pull-never", image, failure=f"No container can be made of {image}.")
        try:
            yield Path(self.run("mount", name, failure=f"The container of {image} cannot be mounted."))
        finally:
            self.attempt("umount", name)
            self.attempt("rm", name)

    def clear(self, *, keep: str) -> None:
        """Remove every container, every temporary file, and every image but one, by name."""
        self.attempt("rm", "--all")
        kept = self.attempt("images", "--quiet", "--no-trunc", keep).stdout.split()
        for identity in self.attempt("images", "--all", "--quiet", "--no-trunc").stdout.split():
            if identity not in kept:
                self.attempt("rmi", "--force", identity)
        shutil.rmtree(self._folder / "tmp", ignore_errors=True)


@contextlib.contextmanager
def system_cache_covered() -> Iterator[None]:
    """Hide the one folder buildah writes outside its storage behind an empty file system.

    Only this process's mount namespace sees the cover.
    """
    missing = not _SYSTEM_CACHE.exists()
    _SYSTEM_CACHE.mkdir(exist_ok=True)
    subprocess.run(("mount", "-t", "tmpfs", "tmpfs", str(_SYSTEM_CACHE)), check=True)
    try:
        yield
    finally:
        subprocess.run(("umount", str(_SYSTEM_CACHE)), check=True)
        if missing:
            _SYSTEM_CACHE.rmdir()
