"""A context is what was asked for, or there is none."""

from ctypes import c_char
from types import SimpleNamespace
from typing import Any

import pytest

from semif.decision import StartFailure
from semif.llama.allocation import allocate
from semif.llama.structs import ContextParams160

GETTERS = {
    "llama_n_ctx": 2048,
    "llama_n_ctx_seq": 1024,
    "llama_n_seq_max": 2,
    "llama_n_batch": 1024,
    "llama_n_ubatch": 512,
    "llama_n_threads": 3,
    "llama_n_threads_batch": 3,
}


class Log:
    """A library's last words."""

    def clear(self) -> None:
        """Forgets nothing."""

    def last_error(self) -> str:
        """The reason of a refusal."""
        return "no memory"


def library(handle: int | None, **sizes: int) -> Any:
    """A library that makes a context of some size, whatever it is asked for; keeps what that was."""
    asked: list[ContextParams160] = []

    def init(_: int, params: ContextParams160) -> int | None:
        asked.append(params)
        return handle

    getters = {name: lambda _, value=value: value for name, value in (GETTERS | sizes).items()}
    functions = SimpleNamespace(llama_context_default_params=ContextParams160, llama_init_from_model=init, **getters)
    return SimpleNamespace(c=functions, log=Log(), asked=asked)


def allocated(made: Any) -> int:
    """Asks for two sequences of 1024 cells and three threads."""
    return allocate(made, 7, tokens=1024, sequences=2, threads=3, abort=(c_char * 2)())


def test_a_context_is_asked_for_whole_and_with_cells_of_its_own() -> None:
    """Cells of all sequences, a batch and rows of outputs within bounds, threads for both kinds of decode."""
    made = library(9)

    assert allocated(made) == 9
    (params,) = made.asked
    assert (params.n_ctx, params.n_batch, params.n_ubatch, params.n_seq_max) == (2048, 1024, 512, 2)
    assert params.n_outputs_max >= params.n_seq_max
    assert (params.n_threads, params.n_threads_batch, params.kv_unified) == (3, 3, False)
    assert params.abort_callback
    assert params.abort_callback_data


@pytest.mark.parametrize("name", GETTERS)
def test_a_context_of_another_size_ends_the_start(name: str) -> None:
    """A field that landed elsewhere in the struct shows in a getter, which is named with both figures."""
    with pytest.raises(StartFailure, match=f"^{name} is 1 where {GETTERS[name]} was asked for$"):
        allocated(library(9, **{name: 1}))


def test_a_context_that_is_refused_ends_the_start_with_the_librarys_reason() -> None:
    """What did not fit is named."""
    with pytest.raises(StartFailure, match="no context of 1024 tokens x 2: no memory"):
        allocated(library(None))
