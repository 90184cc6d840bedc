"""Small GGUF files, written field by field, so that every field can be wrong."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

UINT32, STRING, ARRAY = 4, 8, 9
F32, Q4_1 = 0, 3


def text(value: bytes) -> bytes:
    """A GGUF string."""
    return struct.pack("<Q", len(value)) + value


def entry(key: bytes, kind: int, value: bytes) -> bytes:
    """One metadata entry."""
    return text(key) + struct.pack("<I", kind) + value


@dataclass(frozen=True)
class Tensor:
    """One tensor's description; `offset` None lets it follow its predecessor."""

    name: bytes
    shape: Sequence[int]
    kind: int = F32
    offset: int | None = None

    @property
    def size(self) -> int:
        """Bytes of its data."""
        count = 1
        for dimension in self.shape:
            count *= dimension
        return {F32: count * 4, Q4_1: count // 32 * 20}.get(self.kind, 0)


ENTRIES = (
    entry(b"general.architecture", STRING, text(b"llama")),
    entry(b"llama.block_count", UINT32, struct.pack("<I", 2)),
    entry(b"llama.context_length", UINT32, struct.pack("<I", 512)),
    entry(b"tokenizer.ggml.model", STRING, text(b"gpt2")),
    entry(b"tokenizer.chat_template", STRING, text(b"{{ messages }}")),
    entry(b"tokenizer.ggml.tokens", ARRAY, struct.pack("<IQ", STRING, 2) + text(b"a") + text(b"bc")),
    entry(b"tokenizer.ggml.scores", ARRAY, struct.pack("<IQff", 6, 2, 0.0, 1.0)),
    entry(b"a.bool", 7, b"\x01"),
)
TENSORS = (Tensor(b"token_embd.weight", (32, 3), Q4_1), Tensor(b"output_norm.weight", (7,)), Tensor(b"scale", ()))


def tiny_gguf(
    entries: Sequence[bytes] = ENTRIES, tensors: Sequence[Tensor] = TENSORS, version: int = 3, alignment: int = 32
) -> bytes:
    """A whole GGUF of these parts, its data a counting pattern."""
    header = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(entries)) + b"".join(entries)
    data = b""
    for tensor in tensors:
        data += bytes(-len(data) % alignment)
        offset = len(data) if tensor.offset is None else tensor.offset
        header += text(tensor.name) + struct.pack(f"<I{len(tensor.shape)}Q", len(tensor.shape), *tensor.shape)
        header += struct.pack("<IQ", tensor.kind, offset)
        data += (bytes(range(251)) * (tensor.size // 251 + 1))[: tensor.size]
    return header + bytes(-len(header) % alignment) + data
