"""The decision image: its identity, a digest of everything it is made from, and what its sources declare."""

import ast
import fnmatch
import hashlib
from pathlib import Path

CONTAINER_DIRECTORY = Path(__file__).parents[1] / "container"
TAG_LENGTH = 40
# Names of files and folders that tools leave in a checkout.
NOT_CONTENT = ("__pycache__", "*.pyc", ".*_cache", ".hypothesis")


def image_files(directory: Path = CONTAINER_DIRECTORY) -> list[Path]:
    """List the files that go into the decision image, sorted by path, as paths relative to the directory."""
    found = (path.relative_to(directory) for path in directory.rglob("*") if path.is_file())
    return sorted((path for path in found if not any(map(_is_left_by_a_tool, path.parts))), key=Path.as_posix)


def _is_left_by_a_tool(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in NOT_CONTENT)


def image_tag(base_digest: str, directory: Path = CONTAINER_DIRECTORY) -> str:
    """Return the decision image's tag: the first 40 hexadecimal digits over its files and its base.

    Args:
        base_digest: Digest of the base image, with its sha256: prefix.
        directory: The folder the image is built from.
    """
    digest = hashlib.sha256(base_digest.encode())
    for path in image_files(directory):
        content = (directory / path).read_bytes()
        digest.update(f"\n{path.as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:TAG_LENGTH]


def declared_text(name: str, file: str, directory: Path = CONTAINER_DIRECTORY) -> str:
    """Return a text that a module of the container declares, read without importing it.

    Args:
        name: The name it is assigned to, at the module's top.
        file: The module, relative to the directory.
        directory: The folder the image is built from.

    Raises:
        LookupError: The module assigns no text to that name.
    """
    for statement in ast.parse((directory / file).read_bytes()).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=found)], value=ast.Constant(value=str(text))) if found == name:
                return text
    raise LookupError(f"{file} of the container assigns no text to {name}")
