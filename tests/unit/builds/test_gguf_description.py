"""Only a language model with all that a server would else guess is published; its summary is kept."""

import hashlib
import struct

import pytest

from gguf_description import describe
from gguf_structure import Structure
from model_pin import PackagingError
from tests.unit.builds.structures import structure
from tests.unit.builds.tiny_gguf import ARRAY, ENTRIES, STRING, UINT32, entry, text, tiny_gguf


def without(key: bytes) -> tuple[bytes, ...]:
    """Return the entries of a right GGUF but one."""
    left = tuple(each for each in ENTRIES if not each.startswith(text(key)))
    assert len(left) == len(ENTRIES) - 1
    return left


def refusal(*entries: bytes) -> str:
    """Return why a GGUF of these entries is refused."""
    with pytest.raises(PackagingError) as refused:
        describe([structure(tiny_gguf(entries))])
    return str(refused.value)


def test_a_model_is_described_by_its_own_metadata() -> None:
    """The summary holds what a reader of the bucket asks first, and null for what the file does not say."""
    license_id = entry(b"general.license", STRING, text(b"apache-2.0"))

    assert describe([structure(tiny_gguf((*ENTRIES, license_id)))]) == {
        "format_version": 3,
        "tensors": 3,
        "architecture": "llama",
        "context_length": 512,
        "block_count": 2,
        "file_type": None,
        "quantization_version": None,
        "tokenizer": "gpt2",
        "vocabulary_size": 2,
        "chat_template_sha256": hashlib.sha256(b"{{ messages }}").hexdigest(),
        "name": None,
        "license": "apache-2.0",
    }


@pytest.mark.rule("a projector or adapter is never published as the model", tool="the build's own script")
@pytest.mark.parametrize(
    ("key", "value"),
    [("general.architecture", b"clip"), ("general.type", b"mmproj"), ("general.type", b"adapter")],
)
def test_a_part_of_a_model_is_refused(key: str, value: bytes) -> None:
    """Whatever its file is called, its metadata says that it is no model of its own."""
    kept = without(b"general.architecture") if key == "general.architecture" else ENTRIES

    assert "is no language model" in refusal(*kept, entry(key.encode(), STRING, text(value)))


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        (without(b"general.architecture"), "no general.architecture"),
        (without(b"llama.context_length"), "no llama.context_length"),
        (
            (*without(b"llama.context_length"), entry(b"llama.context_length", UINT32, bytes(4))),
            "no llama.context_length: it is 0",
        ),
        (without(b"tokenizer.ggml.tokens"), "no tokenizer: tokenizer.ggml.tokens"),
        (
            (
                *without(b"tokenizer.ggml.tokens"),
                entry(b"tokenizer.ggml.tokens", ARRAY, struct.pack("<IQ", STRING, 0)),
            ),
            "no tokenizer: tokenizer.ggml.tokens",
        ),
        (without(b"tokenizer.ggml.model"), "no tokenizer.ggml.model"),
        (without(b"tokenizer.chat_template"), "no tokenizer.chat_template"),
        (
            (*without(b"tokenizer.chat_template"), entry(b"tokenizer.chat_template", STRING, text(b"\xff"))),
            "no tokenizer.chat_template",
        ),
    ],
)
def test_a_model_that_leaves_something_to_guess_is_refused(entries: tuple[bytes, ...], sentence: str) -> None:
    """A server would take a default in silence."""
    assert sentence in refusal(*entries)


def part(number: int, count: int, *, tensors: int = 3, first: bool = False) -> Structure:
    """One part of a split GGUF."""
    own = {"split.no": number, "split.count": count, "split.tensors.count": 6}
    return Structure(3, tensors, {**(structure(tiny_gguf()).metadata if first else {}), **own})


def test_a_complete_split_set_is_described_as_one_model() -> None:
    """Its first part says what it is; the tensors of all are counted. A part without tensors is one, too."""
    whole = describe([part(0, 3, tensors=0, first=True), part(1, 3), part(2, 3)])

    assert whole == describe([structure(tiny_gguf())]) | {"tensors": 6}


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ([part(0, 2, first=True)], "file 1 of 1 says split.no 0 and split.count 2"),
        ([part(0, 3, first=True), part(1, 3)], "file 1 of 2 says split.no 0 and split.count 3"),
        ([part(0, 2, first=True), part(0, 2)], "file 2 of 2 says split.no 0 and split.count 2"),
        ([part(1, 2), part(0, 2, first=True)], "file 1 of 2 says split.no 1"),
        ([part(0, 2, first=True), structure(tiny_gguf())], "file 2 of 2 says split.no 0 and split.count 1"),
        ([part(0, 2, first=True), part(1, 2, tensors=2)], "holds 5 tensors, its split.tensors.count is 6"),
        ([Structure(3, 0, structure(tiny_gguf()).metadata)], "holds no tensors"),
    ],
)
def test_parts_that_are_not_one_set_are_refused(parts: list[Structure], sentence: str) -> None:
    """Servers find further parts by their names alone; here each says which it is."""
    with pytest.raises(PackagingError) as refused:
        describe(parts)

    assert sentence in str(refused.value)


def test_a_file_that_was_merged_from_parts_is_whole() -> None:
    """The merging tool leaves the number of the part and says that there are none."""
    merged = Structure(3, 3, {**structure(tiny_gguf()).metadata, "split.no": 1, "split.count": 0})

    assert describe([merged])["tensors"] == 3
