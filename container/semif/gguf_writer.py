"""Writes small GGUF files: enough of the format for the models the self-test and the tests make.

https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ALIGNMENT = 32
_UINT32, _INT32, _FLOAT32, _BOOL, _STRING, _ARRAY = 4, 5, 6, 7, 8, 9
_TENSOR_TYPES = {np.dtype(np.float32): 0, np.dtype(np.float16): 1}

Scalar = bool | int | float | str
Metadata = Mapping[str, Scalar | Sequence[Scalar]]


def gguf_bytes(metadata: Metadata, tensors: Mapping[str, NDArray[Any]]) -> bytes:
    """One complete GGUF file (version 3).

    Args:
        metadata: Scalars, or sequences of one scalar type; whole numbers become `uint32` alone and
            `int32` in sequences, as the architectures' keys want them.
        tensors: float32 or float16 arrays, their last axis contiguous (GGUF lists it first).
    """
    head = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(metadata))]
    for key, value in metadata.items():
        head += [_string(key), _value(value)]
    offset, data = 0, []
    for name, array in tensors.items():
        raw = np.ascontiguousarray(array).tobytes()
        shape = array.shape[::-1]
        head.append(_string(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape))
        head.append(struct.pack("<IQ", _TENSOR_TYPES[array.dtype], offset))
        data.append(_padded(raw))
        offset += len(data[-1])
    return _padded(b"".join(head)) + b"".join(data)


def _string(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Scalar | Sequence[Scalar]) -> bytes:
    if isinstance(value, str | bool | int | float):
        kind, raw = _scalar(value, _UINT32)
        return struct.pack("<I", kind) + raw
    items = [_scalar(item, _INT32) for item in value]
    kind = items[0][0] if items else _STRING
    return struct.pack("<IIQ", _ARRAY, kind, len(items)) + b"".join(raw for _, raw in items)


def _scalar(value: Scalar, whole: int) -> tuple[int, bytes]:
    if isinstance(value, bool):
        return _BOOL, struct.pack("<?", value)
    if isinstance(value, int):
        return whole, struct.pack("<i", value)
    if isinstance(value, float):
        return _FLOAT32, struct.pack("<f", value)
    return _STRING, _string(value)


def _padded(raw: bytes) -> bytes:
    return raw + bytes(-len(raw) % _ALIGNMENT)
