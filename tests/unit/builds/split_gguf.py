"""Split a GGUF into a set of files, as llama.cpp's own tool does: all metadata in the first, some tensors in each."""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gguf import GGUFReader

from tests.unit.builds.tiny_gguf import entry, text

UINT16, INT32 = 2, 5
ALIGNMENT = 32


def split(path: Path, stem: str, tensors: Sequence[int]) -> dict[str, bytes]:
    """Return the files of a set by name.

    Args:
        path: The whole GGUF.
        stem: What their names begin with.
        tensors: How many go into each file, in order; together all there are.
    """
    reader, whole = GGUFReader(path), path.read_bytes()
    every = list(reader.tensors)
    assert sum(tensors) == len(every)
    metadata = whole[24 : every[0].field.offset]
    count = int(reader.fields["GGUF.kv_count"].contents())
    parts = {}
    for number, size in enumerate(tensors):
        mine, every = every[:size], every[size:]
        own = _split_entries(number, len(tensors), sum(tensors))
        first = (metadata, count) if number == 0 else (b"", 0)
        name = f"{stem}-{number + 1:05}-of-{len(tensors):05}.gguf"
        parts[name] = _file(whole, mine, first[0] + b"".join(own), first[1] + len(own))
    return parts


def _split_entries(number: int, count: int, tensors: int) -> tuple[bytes, ...]:
    return (
        entry(b"split.no", UINT16, struct.pack("<H", number)),
        entry(b"split.count", UINT16, struct.pack("<H", count)),
        entry(b"split.tensors.count", INT32, struct.pack("<i", tensors)),
    )


def _file(whole: bytes, tensors: Sequence[Any], metadata: bytes, entries: int) -> bytes:
    header, data = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), entries) + metadata, b""
    for tensor in tensors:
        shape = tensor.shape.tolist()
        header += text(tensor.name.encode()) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        header += struct.pack("<IQ", int(tensor.tensor_type), len(data))
        data += whole[tensor.data_offset : tensor.data_offset + tensor.n_bytes]
        data += bytes(-len(data) % ALIGNMENT)
    return header + bytes(-len(header) % ALIGNMENT) + data
