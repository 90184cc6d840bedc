"""A GGUF in several files: libllama opens the first and finds the others by its name, so each of them is pinned."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from semif.decision import StartFailure

_PART = re.compile(r"(?P<name>.+)-(?P<number>[0-9]{5})-of-(?P<count>[0-9]{5})\.gguf")
_PIN = re.compile(r"(?P<bytes>[1-9][0-9]{0,14}):(?P<sha256>[0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """One file by content: size in bytes, SHA-256 in lower-case hex."""

    file: str
    bytes: int
    sha256: str


def sizes_and_digests(name: str, value: str) -> tuple[tuple[int, str], ...]:
    """Sizes and digests, as `bytes:sha256` with commas between them."""
    found = [_PIN.fullmatch(each) for each in value.split(",")]
    if not all(found):
        raise StartFailure(f"{name} must be sizes and digests of the parts behind the first: bytes:sha256,bytes:sha256")
    return tuple((int(each["bytes"]), each["sha256"]) for each in found if each)


def parts_behind(first: str, pins: Sequence[tuple[int, str]]) -> tuple[PinnedFile, ...]:
    """Names the parts behind the first file as libllama does.

    Raises:
        StartFailure: The first file's name asks for another number of parts, or is not the first one's.
    """
    named = _PART.fullmatch(first)
    count = int(named["count"]) if named else 1
    if count != 1 + len(pins) or (named and int(named["number"]) != 1):
        raise StartFailure(
            f"SEMIF_MODEL_FILE is {first}, which is not the first of {1 + len(pins)} as SEMIF_GGUF_PARTS asks for"
        )
    names = (f"{named['name']}-{number:05}-of-{named['count']}.gguf" for number in range(2, count + 1)) if named else ()
    return tuple(PinnedFile(name, size, sha256) for name, (size, sha256) in zip(names, pins, strict=True))
