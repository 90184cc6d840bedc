"""What the image is built from, exactly the files that its tag is made of, and what was built."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from config.content import CONTAINER_DIRECTORY, image_files, image_tag
from tests.image.added_files import AddedFile, added_files
from tests.image.buildah import ImageConfig, Mount, Storage
from tests.image.dockerfile import broken_rules
from tests.image.failure import StepFailedError
from tests.image.stand_in_base import Base

MANIFEST_TYPE = "application/vnd.docker.distribution.manifest.v2+json"
NAME = "localhost/semif-decision"
CONTENT_LABEL = "semif.content"


@dataclass(frozen=True)
class Built:
    """The built image: its name in the storage, what it says of itself, and what the build printed."""

    name: str
    image: ImageConfig
    output: str


@dataclass(frozen=True)
class Recipe:
    """What a build is made from: a base, a folder with a Dockerfile, and what its pip sees of the host."""

    base: Base
    context: Path
    mounts: Sequence[Mount]

    @property
    def tag(self) -> str:
        """The tag and label that the stack would give the image."""
        return image_tag(self.base.digest, self.context)


def stage_context(folder: Path, source: Path = CONTAINER_DIRECTORY) -> Path:
    """Copy the files that the image's tag is made of, and nothing else, into an empty folder and return it."""
    for path in image_files(source):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / path, target)
    return folder


def check_dockerfile(context: Path) -> None:
    """Refuse a Dockerfile that takes something from outside its folder, or compiles.

    Raises:
        StepFailedError: with the first such instruction.
    """
    dockerfile = context / "Dockerfile"
    if not dockerfile.exists():
        raise StepFailedError("container/Dockerfile is not there.")
    if broken := broken_rules(dockerfile.read_text("utf-8")):
        raise StepFailedError(broken[0], "\n".join(broken))


def files_added(storage: Storage, recipe: Recipe, built: Built) -> list[AddedFile]:
    """List what the image adds to its base.

    Raises:
        StepFailedError: a file is neither one of the context nor of an installed wheel.
    """
    sources = [recipe.context / path for path in image_files(recipe.context)]
    with storage.container(recipe.base.name) as old, storage.container(built.name) as new:
        found = added_files(old, new, sources)
    if foreign := [f"{file.path} ({file.size} bytes)" for file in found if file.origin == "other"]:
        raise StepFailedError(
            "The image holds files that are neither in container/ nor in a wheel.", "\n".join(foreign)
        )
    return found
