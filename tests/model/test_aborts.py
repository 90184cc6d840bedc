"""An abort at any point of an operation: what is half written is forgotten, and what follows has the same bits."""

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CDLL, CFUNCTYPE, addressof, c_bool, c_int32, c_void_p, cast
from pathlib import Path

import numpy as np
import pytest

from semif.engine import DeadlineExceededError
from semif.llama.binding import Library
from tests.model.loaded import Loaded, decision

pytestmark = pytest.mark.model

POLL = CFUNCTYPE(c_bool, c_void_p)
LONG = "A customer writes about a parcel. " * 40  # a token is a byte: three rounds of 512 rows
ASKED = [decision(LONG, question) for question in ("Which queue?", "Is it urgent?")]
OTHER = decision("Something else.", "Which queue?")


@contextmanager
def polled(library: Library, model: Loaded, abort_at: int | None) -> Iterator[list[int]]:
    """Counts how often the library asks whether to go on, and says no at one of these."""
    context, polls = model.engine._context, [0]

    def poll(_: int | None) -> bool:
        polls[0] += 1
        return polls[0] == abort_at

    asked = POLL(poll)
    library.c.llama_set_abort_callback.argtypes = [c_void_p, c_void_p, c_void_p]
    library.c.llama_set_abort_callback(context.handle, cast(asked, c_void_p), None)
    try:
        yield polls
    finally:
        own = cast(CDLL(None).strlen, c_void_p)
        library.c.llama_set_abort_callback(context.handle, own, addressof(context._abort))


def last_positions(library: Library, model: Loaded) -> list[int]:
    """Where each sequence ends, scratch ones too; -1 if it holds nothing."""
    context = model.engine._context
    library.c.llama_memory_seq_pos_max.argtypes = [c_void_p, c_int32]
    return [library.c.llama_memory_seq_pos_max(context._memory, sequence) for sequence in range(context.sequences)]


@pytest.mark.rule(
    "An abort at any point of an operation, also in the middle of reading a state, changes no later answer by a bit",
    tool="libllama v0.5.0",
    emulated="",
)
@pytest.mark.parametrize("name", ["hybrid", "attention"])
def test_an_abort_anywhere_in_an_operation_leaves_no_trace(
    library: Library, models: dict[str, Path], name: str
) -> None:
    """From the first step of the state to the last one of the second question, with another state resident."""
    with Loaded.open(library, models[name], tokens=2048, resident_states=2) as model:
        work, engine = model.work(ASKED), model.engine
        other = model.logits(OTHER)[0]
        with polled(library, model, None) as polls:
            known = engine.score(work).logits
        assert polls[0] > 40

        for share in (0.0, 0.1, 0.4, 0.8, 0.95, 1.0):
            engine.forget()
            model.logits(OTHER)
            at = 1 + round(share * (polls[0] - 1))
            with polled(library, model, at), pytest.raises(DeadlineExceededError):
                engine.score(work)

            assert engine.alive
            assert last_positions(library, model) == [-1] * engine._context.sequences
            again = engine.score(work)
            assert not again.resident
            assert all(np.array_equal(first, second) for first, second in zip(known, again.logits, strict=True))
            assert np.array_equal(other, model.logits(OTHER)[0])
