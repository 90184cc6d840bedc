"""What an image adds to its base, file by file, and where each file comes from."""

import base64
import csv
import filecmp
import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

# "list" is the list of wheels. "empty" is what a build's mounts leave behind: a file without a byte. "other" should not
# be there.
Origin = Literal["container", "wheel", "bytecode", "list", "empty", "other"]
WHEELS_FILE = "opt/semif/wheels.json"


@dataclass(frozen=True)
class AddedFile:
    """A regular file or link that the base does not have, or has with another content; size in bytes."""

    path: PurePosixPath
    size: int
    origin: Origin


def added_files(base: Path, image: Path, sources: Iterable[Path]) -> list[AddedFile]:
    """List what the root file system `image` adds to or changes in the root file system `base`.

    Args:
        base: The base's root.
        image: The image's root.
        sources: The files that the build was given; an added file of the same content comes from them.
    """
    added = sorted(path for path in _files(image) if not _same(base / path.relative_to(image), path))
    given = {_digest(path) for path in sources}
    installed = {digest for path in added if path.match("*.dist-info/RECORD") for digest in _recorded(path)}
    return [
        AddedFile(PurePosixPath("/") / path.relative_to(image), path.lstat().st_size, _origin(path, given, installed))
        for path in added
    ]


def bytes_by_folder(files: Iterable[AddedFile], depth: int) -> list[tuple[str, int]]:
    """Sum the sizes by the first `depth` parts of the files' folders, largest first, in bytes."""
    sums: Counter[str] = Counter()
    for file in files:
        sums[str(PurePosixPath(*file.path.parent.parts[: depth + 1]))] += file.size
    return sums.most_common()


def bytes_by_origin(files: Iterable[AddedFile]) -> dict[Origin, int]:
    """Sum the sizes by where the files come from, in bytes."""
    sums: Counter[Origin] = Counter()
    for file in files:
        sums[file.origin] += file.size
    return dict(sums)


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        for name in (*names, *folders):
            path = Path(folder, name)
            if path.is_symlink() or path.is_file():
                yield path


def _same(old: Path, new: Path) -> bool:
    if old.is_symlink() or new.is_symlink():
        return old.is_symlink() and new.is_symlink() and old.readlink() == new.readlink()
    return old.is_file() and filecmp.cmp(old, new, shallow=False)


def _origin(path: Path, given: set[bytes], installed: set[bytes]) -> Origin:
    if path.is_symlink():
        return "other"
    digest = _digest(path)
    if digest in given:
        return "container"
    # pip writes RECORD itself; of everything else that came with a wheel, RECORD holds the digest.
    if digest in installed or path.match("*.dist-info/RECORD"):
        return "wheel"
    if path.match("__pycache__/*.pyc"):
        return "bytecode"
    if path.match(WHEELS_FILE):
        return "list"
    return "other" if path.stat().st_size else "empty"


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _recorded(record: Path) -> Iterator[bytes]:
    """Yield the digests in a wheel's RECORD: `path,sha256=<base64 without padding>,size`."""
    with record.open(newline="", encoding="utf-8") as rows:
        for row in csv.reader(rows):
            kind, _, encoded = row[1].partition("=") if len(row) > 1 else ("", "", "")
            if kind == "sha256":
                yield base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
