"""How the image test makes a library that this machine's processor cannot run."""

import ctypes
import sys
from pathlib import Path

import pytest

from local_aws.checkout import LLAMA_LIBRARIES
from tests.image.illegal_instruction import FUNCTION, UNDEFINED, function_offset, with_illegal_instruction

BACKEND = LLAMA_LIBRARIES / "libggml-cpu-x64.so"


@pytest.mark.model
def test_only_the_first_instruction_of_the_function_is_replaced(tmp_path: Path) -> None:
    """The copy differs from the backend in the two bytes at which the graph computation begins."""
    target = tmp_path / BACKEND.name
    with_illegal_instruction(BACKEND, target)
    before, after = BACKEND.read_bytes(), target.read_bytes()
    offset = function_offset(before, FUNCTION)
    assert after == before[:offset] + UNDEFINED + before[offset + len(UNDEFINED) :]


@pytest.mark.model
def test_the_found_bytes_are_those_the_loader_maps() -> None:
    """What lies at the found position in the file is what a process sees at the function's address."""
    ctypes.CDLL(str(LLAMA_LIBRARIES / "libggml-base.so"))
    function = ctypes.cast(getattr(ctypes.CDLL(str(BACKEND)), FUNCTION), ctypes.c_void_p)
    offset = function_offset(BACKEND.read_bytes(), FUNCTION)
    assert function.value is not None
    assert ctypes.string_at(function.value, 64) == BACKEND.read_bytes()[offset : offset + 64]


def test_a_function_that_is_not_exported_is_an_error() -> None:
    """Nothing is patched by guess."""
    with pytest.raises(ValueError, match="does not export no_such_function"):
        function_offset(Path(sys.executable).resolve().read_bytes(), "no_such_function")


def test_a_file_that_is_no_library_is_an_error() -> None:
    """Another kind of file is refused by name."""
    with pytest.raises(ValueError, match="ELF"):
        function_offset(b"#!/bin/sh\n" * 10, FUNCTION)
