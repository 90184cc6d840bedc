"""What a vocabulary says of its tokens, read in bulk and one by one."""

from pathlib import Path

import pytest

from semif.llama.binding import Library
from semif.llama.model import LlamaModel
from semif.tiny_model import tiny_hybrid
from tests.model.loaded import Loaded

pytestmark = pytest.mark.model

CONTROL_OR_USER_DEFINED = 1 << 3 | 1 << 4


def test_reserved_tokens_are_those_the_library_calls_so(loaded: Loaded, library: Library) -> None:
    """The bulk reading finds each control and user-defined token that the typed functions name, and no other."""
    handle = loaded.vocabulary._vocab
    one_by_one = {
        id_: library.c.llama_vocab_get_text(handle, id_).decode()
        for id_ in range(loaded.vocabulary.size)
        if library.c.llama_vocab_get_attr(handle, id_) & CONTROL_OR_USER_DEFINED
    }

    assert loaded.vocabulary.reserved() == one_by_one
    assert one_by_one


def test_user_defined_tokens_are_reserved(library: Library, tmp_path: Path) -> None:
    """A token a file calls user-defined is found with those it calls control tokens."""
    path = tmp_path / "thinking.gguf"
    path.write_bytes(tiny_hybrid(user_defined=["<think>", "</think>"]))

    model = LlamaModel(library, path, n_gpu_layers=0)

    assert list(model.vocabulary.reserved().values()) == [
        *("<|endoftext|>", "<|im_start|>", "<|im_end|>"),
        *("<think>", "</think>"),
    ]
    model.close()
