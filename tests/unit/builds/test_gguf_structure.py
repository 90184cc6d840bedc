"""A GGUF is whole, or refused with what is wrong; no input makes its reading fail otherwise."""

import struct
from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFWriter
from hypothesis import given
from hypothesis import strategies as st

from gguf_reading import RefusedError
from gguf_structure import Array
from tests.unit.builds.structures import structure
from tests.unit.builds.tiny_gguf import ARRAY, ENTRIES, STRING, TENSORS, UINT32, Tensor, entry, text, tiny_gguf

WHOLE = tiny_gguf()
HUGE = struct.pack("<Q", 2**63)


def test_a_whole_gguf_is_accepted() -> None:
    """Scalars, strings, arrays, quantized, plain and scalar tensors are all read."""
    found = structure(WHOLE)

    assert (found.version, found.tensors) == (3, 3)
    assert found.metadata["llama.context_length"] == 512
    assert found.metadata["general.architecture"] == "llama"
    assert found.metadata["tokenizer.ggml.tokens"] == Array(2)
    assert found.metadata["a.bool"] is None


@pytest.mark.parametrize("alignment", [8, 64, 4096])
def test_the_files_own_alignment_counts(alignment: int) -> None:
    """A file may align its tensors otherwise than by 32."""
    entries = (*ENTRIES, entry(b"general.alignment", UINT32, struct.pack("<I", alignment)))

    structure(tiny_gguf(entries, alignment=alignment))


def test_a_gguf_of_the_reference_writer_is_accepted_and_its_every_cut_refused(tmp_path: Path) -> None:
    """What one half of the gguf package writes, the other half and the checks behind it take, and nothing shorter."""
    path = tmp_path / "model.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_array("tokenizer.ggml.tokens", ["a", "b", "c"])
    writer.add_float32("llama.x", 1.5)
    writer.add_tensor("a", np.ones((3, 32), dtype=np.float16))
    writer.add_tensor("b", np.ones((5,), dtype=np.float32))
    for step in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file, writer.close):
        step()
    whole = path.read_bytes()

    structure(whole)
    padding = -(5 * 4) % 32  # the writer fills up behind the last tensor, where nothing can be missed
    for end in range(len(whole) - padding):
        with pytest.raises(RefusedError):
            structure(whole[:end])


@pytest.mark.rule("a cut-off GGUF is refused before anything is published", tool="the gguf package, the build's script")
@given(end=st.integers(0, len(WHOLE) - 1))
def test_a_gguf_cut_anywhere_is_refused(end: int) -> None:
    """The last byte of the last tensor is needed."""
    with pytest.raises(RefusedError):
        structure(WHOLE[:end])


@given(st.binary(max_size=300))
def test_no_bytes_break_the_check(noise: bytes) -> None:
    """What is no GGUF is refused in the check's own words, with or without the magic."""
    for data in (noise, b"GGUF" + noise, b"GGUF\x03\0\0\0" + noise):
        with pytest.raises(RefusedError):
            described(data)


def described(data: bytes) -> None:
    """Read a GGUF that has to hold tensors."""
    if not structure(data).tensors:
        raise RefusedError("no tensors")


@given(position=st.integers(0, len(WHOLE) - 1), value=st.integers(0, 255))
def test_no_changed_byte_breaks_the_check(position: int, value: int) -> None:
    """A changed byte is accepted or refused, never a crash or an endless loop."""
    changed = bytearray(WHOLE)
    changed[position] = value
    try:
        structure(bytes(changed))
    except RefusedError as error:
        assert str(error)  # noqa: PT017 - accepted is as good an outcome


def with_shape(*dimensions: int) -> bytes:
    """A GGUF of one tensor that claims a shape, and has a number for each dimension at most."""
    shape = struct.pack(f"<I{len(dimensions)}Q", len(dimensions), *[1] * len(dimensions))
    whole = tiny_gguf(tensors=(Tensor(b"a", (1,) * len(dimensions)),))
    assert shape in whole
    return whole.replace(shape, struct.pack(f"<I{len(dimensions)}Q", len(dimensions), *dimensions))


STRUCTURES = {
    "other magic": (b"GGML" + WHOLE[4:], "magic invalid"),
    "version 1": (tiny_gguf(version=1), "version 1"),
    "big-endian": (
        b"GGUF"
        + struct.pack(">IQQ", 3, 1, 0)
        + struct.pack(">Q", 1)
        + b"a"
        + struct.pack(">IQIQ", 1, 1, 0, 0)
        + bytes(64),
        "big-endian",
    ),
    "endless metadata": (WHOLE[:16] + HUGE + WHOLE[24:], "cut off or no GGUF"),
    "endless tensors": (WHOLE[:8] + HUGE + WHOLE[16:], "cut off or no GGUF"),
    "endless string": (tiny_gguf((entry(b"a", STRING, HUGE),)), "cut off or no GGUF"),
    "endless array": (tiny_gguf((entry(b"a", ARRAY, struct.pack("<I", 4) + HUGE),)), "cut off or no GGUF"),
    # Its numbers end where the file does, so that the package would find nothing, again and again.
    "array that goes on behind the end": (
        tiny_gguf((entry(b"a", ARRAY, struct.pack("<IQ", 0, 2**40)),)),
        "it claims 1 uint8 more than it has",
    ),
    "endless array of strings": (tiny_gguf((entry(b"a", ARRAY, struct.pack("<I", 8) + HUGE),)), "cut off or no GGUF"),
    "arrays without an end": (
        tiny_gguf((entry(b"a", ARRAY, struct.pack("<IQ", ARRAY, 1) * 9000),)),
        "RecursionError",
    ),
    "unknown metadata": (tiny_gguf((entry(b"a", 13, b""),)), "is not a valid GGUFValueType"),
    "key twice": (tiny_gguf((ENTRIES[1], ENTRIES[1])), "Duplicate llama.block_count"),
    "key of no characters": (tiny_gguf((entry(b"\xff", UINT32, bytes(4)),)), "UnicodeDecodeError"),
    "alignment 0": (tiny_gguf((entry(b"general.alignment", UINT32, bytes(4)),)), "Invalid alignment"),
    "alignment 24": (tiny_gguf((entry(b"general.alignment", UINT32, b"\x18\0\0\0"),)), "Invalid alignment"),
    "alignment in words": (tiny_gguf((entry(b"general.alignment", STRING, text(b"32")),)), "Bad type"),
    "tensor twice": (tiny_gguf(tensors=(TENSORS[1], TENSORS[1])), "duplicated tensor"),
    "five dimensions": (tiny_gguf(tensors=(Tensor(b"a", (1, 1, 1, 1, 1)),)), "'a' has 5 dimensions"),
    "a thousand dimensions": (tiny_gguf(tensors=(Tensor(b"a", (1,) * 1000),)), "cut off or no GGUF"),
    "unknown tensor type": (tiny_gguf(tensors=(Tensor(b"a", (1,), 99),)), "is not a valid GGMLQuantizationType"),
    "rows of half a block": (tiny_gguf(tensors=(Tensor(b"a", (33,), 3),)), "not a multiple of Q4_1 block size"),
    "overlapping tensors": (tiny_gguf(tensors=(TENSORS[0], Tensor(b"b", (7,), offset=0))), "lies at 0"),
    "gap between tensors": (
        tiny_gguf(tensors=(TENSORS[0], Tensor(b"b", (7,), offset=96))) + bytes(128),
        "lies at 96, its predecessors end at 64",
    ),
    "nothing beyond the end": (tiny_gguf(tensors=(TENSORS[1], Tensor(b"b", (0,), offset=2**40))), f"lies at {2**40}"),
    "place that begins again at 0": (tiny_gguf(tensors=(Tensor(b"a", (8,), offset=2**64 - 64),)), "overflow"),
    "size that begins again at 0": (with_shape(2**32, 2**32), "cut off or no GGUF"),
    "size beyond every number": (with_shape(*[2**63] * 4), "cut off or no GGUF"),
    "last byte missing": (WHOLE[:-1], "cut off or no GGUF"),
}


@pytest.mark.parametrize(("data", "sentence"), STRUCTURES.values(), ids=STRUCTURES.keys())
def test_a_wrong_structure_is_refused_with_its_reason(data: bytes, sentence: str) -> None:
    """The sentence says what is wrong and where."""
    with pytest.raises(RefusedError) as refused:
        structure(data)

    assert sentence in str(refused.value)
