"""Prove from its header that a GGUF file is whole, the last tensor ending within the file, and return its metadata.

Reads header, metadata and tensor descriptions and no weights. Every count and length is the file's claim and is checked
against the bytes that are there. One file, because reader and format are one thing. Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import math
import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from model_pin import PackagingError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
HEADER_BYTES = 1 << 28
"""Metadata beyond this is no metadata; real headers hold a vocabulary, some megabytes."""
MAX_DIMENSIONS = 4
TEXT_BYTES = 1 << 20
"""Longer texts are passed over; a chat template has some thousands."""

U32, U64 = struct.Struct("<I"), struct.Struct("<Q")
STRING, ARRAY, UINT32 = 8, 9, 4
SCALAR_BYTES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
INTEGERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 10: "<Q", 11: "<q"}

# ggml tensor type -> (elements of a block, bytes of a block). A test compares with the gguf package.
BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 40),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18),
}  # fmt: skip


@dataclass(frozen=True)
class Array:
    """An array of the metadata, of which only the number of elements is kept."""

    count: int


Value = int | str | Array | None
"""What is kept of a metadata value: None of a float, a truth value, or a text too long or not UTF-8."""


@dataclass(frozen=True)
class Structure:
    """What a whole GGUF says of itself.

    Attributes:
        version: Of the format.
        tensors: How many there are.
        metadata: Values by key.
    """

    version: int
    tensors: int
    metadata: Mapping[str, Value]


class _Cursor:
    """A position in the header that never leaves it."""

    def __init__(self, data: bytes | mmap.mmap) -> None:
        self._data = data
        self._end = min(len(data), HEADER_BYTES)
        self.position = 0

    def take(self, count: int) -> bytes:
        start = self.position
        self.skip(count)
        return self._data[start : self.position]

    def skip(self, count: int) -> None:
        if count > self._end - self.position:
            raise PackagingError(
                f"The GGUF ends within its header: {count} bytes claimed at {self.position}, end at {self._end}."
            )
        self.position += count

    def u32(self) -> int:
        return int(U32.unpack(self.take(4))[0])

    def u64(self) -> int:
        return int(U64.unpack(self.take(8))[0])

    def text(self) -> bytes:
        return self.take(self.u64())

    def value(self, kind: int) -> Value:
        """Read one metadata value, or pass over it."""
        if kind in INTEGERS:
            return int(struct.unpack(INTEGERS[kind], self.take(SCALAR_BYTES[kind]))[0])
        if kind in SCALAR_BYTES:
            self.skip(SCALAR_BYTES[kind])
        elif kind == STRING:
            return self._kept_text()
        elif kind == ARRAY:
            return self._passed_array()
        else:
            raise PackagingError(f"The GGUF has metadata of unknown type {kind} at {self.position}.")
        return None

    def _kept_text(self) -> str | None:
        if (size := self.u64()) > TEXT_BYTES:
            self.skip(size)
            return None
        try:
            return self.take(size).decode()
        except UnicodeDecodeError:
            return None

    def _passed_array(self) -> Array:
        kind, count = self.u32(), self.u64()
        if kind in SCALAR_BYTES:
            self.skip(count * SCALAR_BYTES[kind])
        elif kind == STRING:
            for _ in range(count):
                self.skip(self.u64())
        else:
            raise PackagingError(f"The GGUF has an array of unsupported type {kind} at {self.position}.")
        return Array(count)


def check_structure(data: bytes | mmap.mmap) -> Structure:
    """Check a whole GGUF file and return what it says of itself.

    Raises:
        PackagingError: It is no GGUF, one of several parts, or its tensors do not lie within it one after another.
    """
    cursor = _Cursor(data)
    if (magic := cursor.take(4)) != MAGIC:
        raise PackagingError(f"The file is no GGUF: it begins with {magic!r}.")
    if (version := cursor.u32()) not in VERSIONS:
        raise PackagingError(f"The GGUF has version {version}; read are {VERSIONS} in little-endian order.")
    tensors, entries = cursor.u64(), cursor.u64()
    metadata = _metadata(cursor, entries)
    if isinstance(parts := metadata.get("split.count"), int) and parts > 1:
        raise PackagingError(f"The GGUF is one of {parts} parts; only a GGUF in a single file can be published.")
    alignment = metadata.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1):
        raise PackagingError(f"The GGUF has alignment {alignment!r}, which is no power of two.")
    if not tensors:
        raise PackagingError("The GGUF holds no tensors.")
    placed = _tensors(cursor, tensors)
    start = _aligned(cursor.position, alignment)
    expected = 0
    for name, offset, size in placed:
        if offset != expected:
            raise PackagingError(f"The GGUF's tensor {name!r} lies at {offset}, its predecessors end at {expected}.")
        if start + offset + size > len(data):
            raise PackagingError(
                f"The GGUF is cut off: tensor {name!r} ends at {start + offset + size}, the file at {len(data)}."
            )
        expected = _aligned(offset + size, alignment)
    return Structure(version, tensors, metadata)


def _aligned(position: int, alignment: int) -> int:
    return -(-position // alignment) * alignment


def _metadata(cursor: _Cursor, entries: int) -> dict[str, Value]:
    metadata: dict[str, Value] = {}
    for _ in range(entries):
        key = cursor.text().decode("utf-8", "backslashreplace")
        if key in metadata:
            raise PackagingError(f"The GGUF has the metadata key {key[:80]!r} twice.")
        metadata[key] = cursor.value(cursor.u32())
    return metadata


def _tensors(cursor: _Cursor, count: int) -> list[tuple[bytes, int, int]]:
    """Read the tensor descriptions as (name, offset in the data, bytes)."""
    placed: dict[bytes, tuple[int, int]] = {}
    for _ in range(count):
        name = cursor.text()
        if name in placed:
            raise PackagingError(f"The GGUF has the tensor {name[:80]!r} twice.")
        if (dimensions := cursor.u32()) > MAX_DIMENSIONS:
            raise PackagingError(f"The GGUF's tensor {name[:80]!r} has {dimensions} dimensions.")
        shape = [cursor.u64() for _ in range(dimensions)]
        if (kind := cursor.u32()) not in BLOCKS:
            raise PackagingError(f"The GGUF's tensor {name[:80]!r} has type {kind}, which is not known here.")
        elements, size = BLOCKS[kind]
        if shape and shape[0] % elements:
            raise PackagingError(
                f"The GGUF's tensor {name[:80]!r} has rows of {shape[0]}, not a multiple of {elements}."
            )
        placed[name] = (cursor.u64(), math.prod(shape) // elements * size)
    return [(name, offset, size) for name, (offset, size) in placed.items()]
