"""Read a GGUF with the gguf package and print what it says of itself as JSON: `python gguf_reading.py FILE MEBIBYTES`.

The package refuses a wrong magic, version, alignment or tensor type, a key or tensor that is there twice, rows of half
a block, and a file that ends too early. What is checked here besides, it lets pass; each has its reason.
"""

import json
import math
import resource
import sys
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFReader
from gguf.constants import GGML_QUANT_SIZES

TEXT_BYTES = 1 << 20
"""Longer texts are passed over; a chat template has some thousands."""
ANSWER_BYTES = 1 << 24
MAX_DIMENSIONS = 4
"""Of ggml; the package takes any number."""
MESSAGE_CHARACTERS = 300


class RefusedError(Exception):
    """The file is no GGUF that could be served; the text is the rest of a sentence."""


class _BoundedReader(GGUFReader):
    """Reads nothing behind the file's end.

    The package takes what is left and goes on, of an array's numbers as often as the file claims: some hundred bytes
    would take any memory. Every element takes a byte at least, so here the file's size bounds them.
    """

    def _get(self, offset: int, dtype: Any, count: int = 1, override_order: Any = None) -> Any:  # noqa: ANN401 - the package's own, of numpy
        found = super()._get(offset, dtype, count, override_order)
        if len(found) != int(count):
            raise ValueError(f"at {int(offset)} it claims {int(count)} {np.dtype(dtype)} more than it has")
        return found


def read(path: Path) -> dict[str, Any]:
    """Return version, number of tensors, and metadata by key: numbers, texts, and of an array {"count": n}.

    Raises:
        RefusedError: The package refuses it, or its tensors do not lie within it one after another.
        MemoryError: The package takes all there is.
    """
    try:
        with np.errstate(over="raise"):  # else a sum that is too large for numpy begins again at 0
            reader = _BoundedReader(path)
    except (MemoryError, SystemError) as error:  # numpy, out of memory, now and then says only that something failed
        raise MemoryError from error
    except Exception as error:
        said = " ".join(str(error).split())[:MESSAGE_CHARACTERS]
        raise RefusedError(f"it is cut off or no GGUF, {type(error).__name__}: {said}.") from error
    if reader.endianess.name != "LITTLE":
        raise RefusedError("it is in big-endian order, which no endpoint's machine reads.")
    _check_places(reader, path.stat().st_size)
    metadata = {key: _kept(field) for key, field in reader.fields.items() if not key.startswith("GGUF.")}
    version = reader.fields["GGUF.version"].contents()
    return {"version": version, "tensors": len(reader.tensors), "metadata": metadata}


def _check_places(reader: Any, size: int) -> None:  # noqa: ANN401 - the package comes without types
    """Check where each tensor lies, in unbounded numbers; the package lets gaps, overlaps and overflow pass."""
    alignment, expected = int(reader.alignment), 0
    for tensor in reader.tensors:
        name, shape = tensor.name[:80], tensor.shape
        if len(shape) > MAX_DIMENSIONS:
            raise RefusedError(f"its tensor {name!r} has {len(shape)} dimensions.")
        elements, block = GGML_QUANT_SIZES[tensor.tensor_type]
        offset, length = int(tensor.field.parts[-1][0]), math.prod(shape.tolist()) // elements * block
        if offset != expected:
            raise RefusedError(f"its tensor {name!r} lies at {offset}, its predecessors end at {expected}.")
        if (end := int(reader.data_offset) + offset + length) > size:
            raise RefusedError(f"it is cut off: its tensor {name!r} ends at {end}, the file at {size}.")
        expected = -(-(offset + length) // alignment) * alignment


def _kept(field: Any) -> object:  # noqa: ANN401 - as above
    kind = field.types[0].name
    if kind == "ARRAY":
        return {"count": len(field.data)}
    if kind in {"FLOAT32", "FLOAT64", "BOOL"} or (kind == "STRING" and field.parts[-1].nbytes > TEXT_BYTES):
        return None
    try:
        return field.contents()
    except UnicodeDecodeError:
        return None


def main(path: Path, mebibytes: int) -> None:
    """Print the answer, or why there is none: one line in either case, and never more memory than is allowed."""
    resource.setrlimit(resource.RLIMIT_DATA, (mebibytes << 20, mebibytes << 20))
    refusal = f"its header takes more than {mebibytes} MiB of memory."
    answer = ""
    try:
        answer = json.dumps(read(path))
    except RefusedError as error:
        refusal = str(error)
    except MemoryError:
        pass  # only behind this block is free what the package had read
    if len(answer) > ANSWER_BYTES:
        answer, refusal = "", f"its metadata takes more than {ANSWER_BYTES >> 20} MiB."
    sys.stdout.write(answer or json.dumps({"refused": refusal}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
