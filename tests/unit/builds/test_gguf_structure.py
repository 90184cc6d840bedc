"""A GGUF is whole, or refused with what is wrong; no input makes the check read beyond the file or fail otherwise."""

import struct
from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFWriter
from gguf.constants import GGML_QUANT_SIZES
from hypothesis import given
from hypothesis import strategies as st

from gguf_structure import BLOCKS, check_structure
from model_pin import PackagingError
from tests.unit.builds.tiny_gguf import ARRAY, ENTRIES, TENSORS, UINT32, Tensor, entry, text, tiny_gguf

WHOLE = tiny_gguf()
HUGE = struct.pack("<Q", 2**63)


def test_a_whole_gguf_is_accepted() -> None:
    """Scalars, strings, arrays, quantized, plain and scalar tensors are all read."""
    check_structure(WHOLE)


@pytest.mark.parametrize("alignment", [8, 64, 4096])
def test_the_files_own_alignment_counts(alignment: int) -> None:
    """A file may align its tensors otherwise than by 32."""
    entries = (*ENTRIES, entry(b"general.alignment", UINT32, struct.pack("<I", alignment)))

    check_structure(tiny_gguf(entries, alignment=alignment))


def test_a_gguf_of_the_reference_writer_is_accepted_and_its_every_cut_refused(tmp_path: Path) -> None:
    """The gguf package writes what is read here."""
    path = tmp_path / "model.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_array("tokenizer.ggml.tokens", ["a", "b", "c"])
    writer.add_float32("llama.x", 1.5)
    writer.add_tensor("a", np.ones((3, 32), dtype=np.float16))
    writer.add_tensor("b", np.ones((5,), dtype=np.float32))
    for step in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file, writer.close):
        step()
    whole = path.read_bytes()

    check_structure(whole)
    padding = -(5 * 4) % 32  # the writer fills up behind the last tensor, where nothing can be missed
    for end in range(len(whole) - padding):
        with pytest.raises(PackagingError):
            check_structure(whole[:end])


def test_block_sizes_are_those_of_the_gguf_package() -> None:
    """Every tensor type has the size that ggml gives it."""
    assert {int(kind): sizes for kind, sizes in GGML_QUANT_SIZES.items()} == BLOCKS


@pytest.mark.rule("a cut-off GGUF is refused before anything is published", tool="the build's own script")
@given(end=st.integers(0, len(WHOLE) - 1))
def test_a_gguf_cut_anywhere_is_refused(end: int) -> None:
    """The last byte of the last tensor is needed."""
    with pytest.raises(PackagingError):
        check_structure(WHOLE[:end])


@given(st.binary(max_size=300))
def test_no_bytes_break_the_check(noise: bytes) -> None:
    """What is no GGUF is refused in the check's own words, with or without the magic."""
    for data in (noise, b"GGUF" + noise, b"GGUF\x03\0\0\0" + noise):
        with pytest.raises(PackagingError):
            check_structure(data)


@given(position=st.integers(0, len(WHOLE) - 1), value=st.integers(0, 255))
def test_no_changed_byte_breaks_the_check(position: int, value: int) -> None:
    """A changed byte is accepted or refused, never a crash or an endless loop."""
    changed = bytearray(WHOLE)
    changed[position] = value
    try:
        check_structure(bytes(changed))
    except PackagingError as error:
        assert str(error)  # noqa: PT017 - accepted is as good an outcome


STRUCTURES = {
    "other magic": (b"GGML" + WHOLE[4:], "begins with b'GGML'"),
    "version 1": (tiny_gguf(version=1), "version 1"),
    "big-endian": (b"GGUF\0\0\0\x03" + WHOLE[8:], "little-endian"),
    "no tensors": (tiny_gguf(tensors=()), "no tensors"),
    "endless metadata": (WHOLE[:16] + HUGE + WHOLE[24:], "ends within its header"),
    "endless tensors": (WHOLE[:8] + HUGE + WHOLE[16:], "GGUF"),
    "endless string": (tiny_gguf((entry(b"a", 8, HUGE),)), "ends within its header"),
    "endless array": (tiny_gguf((entry(b"a", ARRAY, struct.pack("<I", 4) + HUGE),)), "ends within its header"),
    "endless array of strings": (tiny_gguf((entry(b"a", ARRAY, struct.pack("<I", 8) + HUGE),)), "ends within"),
    "array of arrays": (tiny_gguf((entry(b"a", ARRAY, struct.pack("<IQ", ARRAY, 0)),)), "array of unsupported type 9"),
    "unknown metadata": (tiny_gguf((entry(b"a", 13, b""),)), "unknown type 13"),
    "key twice": (tiny_gguf((ENTRIES[1], ENTRIES[1])), "metadata key 'llama.block_count' twice"),
    "split": (tiny_gguf((entry(b"split.count", 2, b"\x03\0"),)), "one of 3 parts"),
    "alignment 0": (tiny_gguf((entry(b"general.alignment", UINT32, bytes(4)),)), "alignment 0"),
    "alignment 24": (tiny_gguf((entry(b"general.alignment", UINT32, b"\x18\0\0\0"),)), "alignment 24"),
    "alignment in words": (tiny_gguf((entry(b"general.alignment", 8, text(b"32")),)), "alignment '32'"),
    "tensor twice": (tiny_gguf(tensors=(TENSORS[1], TENSORS[1])), "tensor b'output_norm.weight' twice"),
    "five dimensions": (tiny_gguf(tensors=(Tensor(b"a", (1, 1, 1, 1, 1)),)), "5 dimensions"),
    "unknown tensor type": (tiny_gguf(tensors=(Tensor(b"a", (1,), 99),)), "type 99"),
    "rows of half a block": (tiny_gguf(tensors=(Tensor(b"a", (33,), 3),)), "multiple of 32"),
    "overlapping tensors": (tiny_gguf(tensors=(TENSORS[0], Tensor(b"b", (7,), offset=0))), "lies at 0"),
    "gap between tensors": (tiny_gguf(tensors=(TENSORS[0], Tensor(b"b", (7,), offset=4096))), "lies at 4096"),
    "last byte missing": (WHOLE[:-1], "is cut off"),
}


@pytest.mark.parametrize(("data", "sentence"), STRUCTURES.values(), ids=STRUCTURES.keys())
def test_a_wrong_structure_is_refused_with_its_reason(data: bytes, sentence: str) -> None:
    """The sentence says what is wrong and where."""
    with pytest.raises(PackagingError) as refused:
        check_structure(data)

    assert sentence in str(refused.value)


def test_a_tensor_too_large_for_any_number_is_refused() -> None:
    """Sizes are multiplied without overflow."""
    shape, huge = struct.pack("<I4Q", 4, 1, 1, 1, 1), struct.pack("<I4Q", 4, *[2**63] * 4)
    whole = tiny_gguf(tensors=(Tensor(b"a", (1, 1, 1, 1)),))

    assert shape in whole
    with pytest.raises(PackagingError, match="is cut off"):
        check_structure(whole.replace(shape, huge))
