"""The identity of the decision image: a digest of everything it is made from."""

import hashlib
from pathlib import Path

CONTAINER_DIRECTORY = Path(__file__).parents[1] / "container"
TAG_LENGTH = 40
_NOT_CONTENT = ("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis")


def image_files(directory: Path = CONTAINER_DIRECTORY) -> list[Path]:
    """List the files that go into the decision image, sorted by path, as paths relative to the directory."""
    found = (path.relative_to(directory) for path in directory.rglob("*") if path.is_file())
    kept = (path for path in found if not set(path.parts) & set(_NOT_CONTENT) and path.suffix != ".pyc")
    return sorted(kept, key=Path.as_posix)


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
