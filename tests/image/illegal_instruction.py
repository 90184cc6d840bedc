"""A CPU backend that holds an instruction no processor has: a build host that cannot run what the image is for."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# The opcode that is reserved to be undefined on every x86 processor (UD2).
UNDEFINED = b"\x0f\x0b"
FUNCTION = "ggml_graph_compute"

_DYNAMIC_SYMBOLS = 11
_HEADER = struct.Struct("<6s34xQ10xHH")  # magic, class and order; section table; size and count of its entries
_SECTION = struct.Struct("<4xI8xQQQI12x8x")  # type; address, offset and size; section of the names
_SYMBOL = struct.Struct("<I2xHQ8x")  # name; section; address


class _Section(NamedTuple):
    kind: int
    address: int
    offset: int
    size: int
    link: int


def function_offset(library: bytes, name: str) -> int:
    """Return the position in a 64-bit little-endian ELF library's bytes at which an exported function begins.

    Raises:
        ValueError: the bytes are no such library, or it does not export the function.
    """
    sections = list(_sections(library))
    for table in sections:
        if table.kind == _DYNAMIC_SYMBOLS:
            names = library[sections[table.link].offset :][: sections[table.link].size]
            symbols = library[table.offset : table.offset + table.size]
            for start, index, address in _SYMBOL.iter_unpack(symbols):
                if index and names[start : names.index(b"\0", start)] == name.encode():
                    section: _Section = sections[index]
                    return int(address) - section.address + section.offset
    raise ValueError(f"the library does not export {name}")


def with_illegal_instruction(source: Path, target: Path) -> None:
    """Copy a CPU backend, the first instruction of its graph computation replaced by an undefined one."""
    library = bytearray(source.read_bytes())
    offset = function_offset(bytes(library), FUNCTION)
    library[offset : offset + len(UNDEFINED)] = UNDEFINED
    target.write_bytes(library)


def _sections(library: bytes) -> Iterator[_Section]:
    if library[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    _, table, size, count = _HEADER.unpack_from(library)
    for position in range(table, table + size * count, size):
        yield _Section(*_SECTION.unpack_from(library, position))
