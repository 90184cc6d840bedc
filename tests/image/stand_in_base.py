"""The base image of the test: it has the layout of AWS's Deep Learning Container, which cannot be pulled here."""

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.image.buildah import Storage
from tests.image.failure import StepFailedError

REPOSITORY = "localhost/llama-cpp"
DIFFERENCE = (
    "The base stands in for AWS's container: Debian 12 with Python 3.11 and libllama v0.5.0 instead of\n"
    "Amazon Linux 2023 with Python 3.12 and b10433 or later. The wheels for 3.12 and that library are not tried here."
)
_SCRIPT = Path(__file__).with_name("stand_in_base.sh")
# As the published image has them; PATH and LD_LIBRARY_PATH lead to the library.
_ENVIRONMENT = {
    "PATH": "/opt/llama.cpp/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LD_LIBRARY_PATH": "/opt/llama.cpp/bin:",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONIOENCODING": "UTF-8",
}


@dataclass(frozen=True)
class Base:
    """A stand-in base in a storage: its name there, its digest, and whether it was there already."""

    name: str
    digest: str
    cached: bool

    @property
    def by_digest(self) -> str:
        """The reference a build takes: repository and digest, no tag."""
        return f"{REPOSITORY}@{self.digest}"


def base_name(libraries: Path) -> str:
    """Return the name of the base made of these libraries: a tag of everything that this checkout decides about it."""
    digest = hashlib.sha256()
    for path in (_SCRIPT, Path(__file__), *sorted(libraries.glob("*.so"))):
        content = path.read_bytes()
        digest.update(f"\n{path.name} {len(content)}\n".encode())
        digest.update(content)
    return f"{REPOSITORY}:{digest.hexdigest()[:40]}"


def stand_in_base(storage: Storage, libraries: Path) -> Base:
    """Return the base made of these libraries, from the storage when it is there, else made anew.

    Args:
        storage: Where the image is kept.
        libraries: The folder of libllama and its backends.

    Raises:
        StepFailedError: debootstrap or buildah failed.
    """
    name = base_name(libraries)
    if found := storage.image(name):
        return Base(name, found.digest, cached=True)
    container = storage.run("from", "scratch", failure="An empty image cannot be made.")
    root = storage.run("mount", container, failure="An empty image cannot be mounted.")
    made = subprocess.run((str(_SCRIPT), root, str(libraries)), text=True, capture_output=True, check=False)
    if made.returncode != 0:
        raise StepFailedError("The stand-in base cannot be made.", made.stdout + made.stderr)
    environment = [f"--env={name}={value}" for name, value in _ENVIRONMENT.items()]
    said = (
        "--entrypoint",
        '["/usr/bin/serve"]',
        "--port",
        "8080",
        "--label",
        "semif.stand-in-for=aws-llama-cpp-container",
    )
    storage.run("config", *environment, *said, container, failure="The stand-in base cannot be configured.")
    storage.run("commit", "--format=docker", "--rm", container, name, failure="The stand-in base cannot be committed.")
    image = storage.image(name)
    if image is None:
        raise StepFailedError("The stand-in base was committed, but the storage does not show it.")
    return Base(name, image.digest, cached=False)
