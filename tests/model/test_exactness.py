"""The same decision has the same logits to the last bit, whatever else is asked."""

import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semif.engine import DeadlineExceededError, EngineError, Work
from semif.llama.binding import Library
from tests.model.loaded import Loaded, decision

pytestmark = pytest.mark.model

STATE = {"subject": "Reset mail never arrived", "lines": ["Customer forgot a password.", "No answer for two days."]}
ASKED = [decision(STATE, question) for question in ("Which queue?", "Is it urgent?", "What is missing from this case?")]


@pytest.mark.rule(
    "Single and shared form give bit-identical logits, in any position and order",
    tool="libllama v0.5.0",
    emulated="",
)
def test_single_and_shared_forms_are_bit_identical(loaded: Loaded) -> None:
    """A decision alone, first, last or between others has the same logits over the whole vocabulary."""
    alone = [loaded.logits(each)[0] for each in ASKED]

    orders = [[2, 0, 1], [0, 1, 2], [1, 1, 0]]
    for order in orders[:1] if loaded.vocabulary.size > 1000 else orders:  # a real model takes its time
        together = loaded.logits(*(ASKED[index] for index in order))
        for index, logits in zip(order, together, strict=True):
            assert np.array_equal(alone[index], logits)


def test_other_states_leave_no_trace(loaded: Loaded) -> None:
    """A decision's logits do not depend on the requests before it."""
    first = loaded.logits(ASKED[0])[0]
    loaded.logits(decision("Something else entirely, and longer than before. " * 4, "Which?"))

    assert np.array_equal(first, loaded.logits(ASKED[0])[0])


def test_an_aborted_operation_leaves_no_trace(loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    """An aborted decode gives no logits, and what follows is as if it had not been."""
    first = loaded.logits(ASKED[0])[0]
    work = loaded.work(ASKED[:1])
    long = Work((work.prefix * 10)[: loaded.tokens - len(work.suffixes[0])], work.suffixes)

    with monkeypatch.context() as patched:
        patched.setattr(loaded.engine._context, "rearm", loaded.engine._context.abort)  # aborted from the first node on
        with pytest.raises(DeadlineExceededError):
            loaded.engine.score(long)

    assert loaded.engine.alive
    assert np.array_equal(first, loaded.logits(ASKED[0])[0])


def test_a_deadline_ends_a_running_decode(library: Library, models: dict[str, Path]) -> None:
    """A decode that takes seconds is ended by a deadline of milliseconds, and the engine goes on."""
    with Loaded.open(library, models["smollm2"], tokens=2048) as model:
        with pytest.raises(DeadlineExceededError):
            model.engine.score(Work((5,) * 2000, ((6,),)), deadline=time.monotonic() + 0.05)
        with pytest.raises(DeadlineExceededError):
            model.engine.score(Work((5,), ((6,),)), deadline=time.monotonic())

        assert np.isfinite(model.engine.score(Work((5,), ((6,),))).logits[0]).all()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.integers(2, 5)), min_size=1, max_size=4), max_size=4))
def test_random_requests_never_change_an_answer(hybrid: Loaded, requests: list[list[tuple[str, int]]]) -> None:
    """After any sequence of requests, a decision still has the logits it has alone."""
    for request in requests:
        together = hybrid.logits(*(decision("shared " + request[0][0], question, count) for question, count in request))
        alone = hybrid.logits(decision("shared " + request[0][0], *request[-1]))[0]

        assert np.array_equal(together[-1], alone)


def test_order_of_options_matters_to_the_prompt_only(loaded: Loaded) -> None:
    """More declared options are another prompt, but the logits stay finite over the whole vocabulary."""
    for count in (2, 16):
        assert np.isfinite(loaded.logits(decision(STATE, "Which?", count))[0]).all()


def test_sizes_out_of_bounds_never_reach_the_library(hybrid: Loaded) -> None:
    """A prompt longer than the context, an empty one and a token that does not exist are refused in Python."""
    context = hybrid.engine._context

    for tokens, position in [((1,) * 2049, 0), ((1,) * 49, 2000), ((), 0), ((1, -1), 0), ((1 << 30,), 0)]:
        with pytest.raises(EngineError, match="out of bounds"):
            context.decode(tokens, sequence=0, position=position, logits=False)
    with pytest.raises(EngineError, match="out of bounds"):
        context.decode((1,), sequence=2, position=0, logits=False)
    with pytest.raises(EngineError, match="2200 tokens in one batch are out of bounds"):
        context.decode_branches([(1,) * 1100] * 2, sequences=(0, 1), position=0)


def test_a_second_thread_is_refused(hybrid: Loaded) -> None:
    """The context belongs to the thread that used it first; another one is turned away before the library."""
    hybrid.logits(ASKED[0])
    refused: list[Exception] = []

    def intrude() -> None:
        try:
            hybrid.logits(ASKED[0])
        except EngineError as error:
            refused.append(error)

    thread = threading.Thread(target=intrude)
    thread.start()
    thread.join()

    assert [str(error) for error in refused] == ["the context belongs to another thread"]
    assert hybrid.engine.alive


def test_an_engine_that_broke_answers_nobody_any_more(
    library: Library, models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one failure of the library every further operation is refused, although the library would go on."""

    def failing(*_: object, **__: object) -> None:
        raise EngineError("llama_decode answered -3")

    with Loaded.open(library, models["hybrid"], tokens=1024) as model:
        with monkeypatch.context() as patched:
            patched.setattr(model.engine._context, "_decode", failing)
            with pytest.raises(EngineError, match="-3"):
                model.logits(ASKED[0])

        assert not model.engine.alive
        with pytest.raises(EngineError, match="earlier operation"):
            model.logits(ASKED[0])


def test_a_prefix_of_one_token_or_none_is_scored_like_any_other(loaded: Loaded) -> None:
    """Where there is no state to copy, earlier suffixes leave nothing behind: in any order the bits are the same."""
    works = [Work((5,), ((6, 7), (8,))), Work((), ((5, 6, 7),)), Work((5,), ((8,),)), Work((5,), ((6, 7),))]

    first = [loaded.engine.score(work).logits for work in works]
    loaded.logits(ASKED[0])
    again = [loaded.engine.score(work).logits for work in reversed(works)][::-1]

    for before, after in zip(first, again, strict=True):
        assert all(np.array_equal(*pair) for pair in zip(before, after, strict=True))
    assert np.array_equal(first[0][0], first[3][0])
    assert np.array_equal(first[0][1], first[2][0])


def test_an_abort_between_two_decodes_is_heard_without_the_library(
    hybrid: Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backend that polls nothing within a decode is at least not asked for the next one."""
    context = hybrid.engine._context
    context.abort()
    with monkeypatch.context() as patched:
        patched.setattr(context, "_c", None)
        with pytest.raises(DeadlineExceededError):
            context.decode((1,), sequence=0, position=0, logits=True)
    context.rearm()


def test_content_of_the_padding_changes_no_bit(library: Library, models: dict[str, Path]) -> None:
    """Behind a state where padding pays, its tokens can be any: the logits before them are the same bits."""
    with Loaded.open(library, models["smollm2"], tokens=512) as model:
        context, suffix, state = model.engine._context, tuple(range(100, 156)), tuple(range(1000, 1300))
        rows = context.padding.rows(len(suffix), len(state))
        padded = model.engine.score(Work(state, (suffix,))).logits[0]
        context.decode(state, sequence=1, position=0, logits=False)
        context._decode([suffix + tuple(range(7, 7 + rows))], (1,), len(state), logits=True, padding=rows)

        assert rows == 8
        assert np.array_equal(padded, context.logits())
