"""What a published model has to be: its files by name, size and digest, and the manifest of its pin."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lifecycle import BUCKET, COUNT, SHA256, RefusedError

_PART = re.compile(r"(.+-)00001(-of-([0-9]{5})\.gguf)")
_ONE = r"[1-9][0-9]{0,14}:[0-9A-Fa-f]{64}"

PROPERTIES = {
    "Bucket": BUCKET,
    "Key": re.compile(r"models/[!-~]{1,1000}"),
    "Packaging": re.compile(r"archive|uncompressed"),
    "GgufFile": re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,94}\.gguf"),
    "GgufBytes": COUNT,
    "GgufSha256": SHA256,
    "FurtherParts": re.compile(rf"(?:{_ONE}(?:,{_ONE}){{0,98}})?"),
    "ManifestSha256": SHA256,
    "HandlerVersion": re.compile(r"[!-~]{1,128}"),
}
"""Of a split GGUF, GgufFile is the first part, and FurtherParts are the others in order, each as bytes:sha256."""


@dataclass(frozen=True)
class PinnedFile:
    """A file by content; the digest in lower-case hex."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Pin:
    """What has to be published: the GGUF or its parts in order, and the digest of the pin's manifest."""

    files: tuple[PinnedFile, ...]
    manifest_sha256: str

    @property
    def bytes(self) -> int:
        """Bytes of all files."""
        return sum(file.bytes for file in self.files)


def pin_of(given: Mapping[str, str]) -> Pin:
    """Return the pin that checked properties name.

    Raises:
        RefusedError: The first part's name and the number of further parts contradict each other.
    """
    first = PinnedFile(given["GgufFile"], int(given["GgufBytes"]), given["GgufSha256"].lower())
    sizes = [each.split(":") for each in given["FurtherParts"].split(",") if each]
    named = _PART.fullmatch(first.name)
    count = int(named[3]) if named else 1
    if count != 1 + len(sizes):
        raise RefusedError(f"FurtherParts: {first.name} is one of {count} files, given are {1 + len(sizes)}")
    further = zip(_names(named), sizes, strict=False)
    files = (first, *(PinnedFile(name, int(size), sha256.lower()) for name, (size, sha256) in further))
    return Pin(files, given["ManifestSha256"].lower())


def _names(first: re.Match[str] | None) -> Iterator[str]:
    """Yield the names of the second part and those after it."""
    if first:
        yield from (f"{first[1]}{number:05}{first[2]}" for number in range(2, int(first[3]) + 1))
