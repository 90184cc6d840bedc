"""A GGUF in several files: named by llama.cpp's rule, complete, each pinned by content."""

import re
from collections.abc import Sequence

from config.values import GgufPartFile, PositiveInt, Sha256, Table

MAX_PARTS = 13
"""Sizes and digests of all parts but the first have to fit into one environment variable of a container."""
_PART = re.compile(r"(?P<name>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf", re.ASCII)


class ModelPart(Table):
    """One file of a split GGUF by content; its size in bytes."""

    file: GgufPartFile
    bytes: PositiveInt
    sha256: Sha256


def broken_set(first: str, sha256: str, parts: Sequence[ModelPart]) -> tuple[str, str] | None:
    """Return the key and the rule by which a first file and the parts behind it are no complete set, or None."""
    named = _PART.fullmatch(first)
    if not named:
        rule = "a GGUF in several files begins with one named …-00001-of-NNNNN.gguf"
        return ("file", f"{rule}, not {first}") if parts else None
    if int(named["number"]) != 1:
        return "file", f"must be the first part of the set, …-00001-of-{named['count']}.gguf, not {first}"
    count = int(named["count"])
    if count > MAX_PARTS:
        return "file", f"a set has at most {MAX_PARTS} parts, not {count}"
    wanted = [f"{named['name']}-{number:05}-of-{named['count']}.gguf" for number in range(2, count + 1)]
    if (given := [part.file for part in parts]) != wanted:
        return "parts", f"must be {', '.join(wanted) or 'absent'} in this order, not {', '.join(given) or 'absent'}"
    digests = [sha256, *(part.sha256 for part in parts)]
    if len(set(digests)) != len(digests):
        return "parts", "each part has its own SHA-256; one is there twice"
    return None
