"""A resident state saves time and changes nothing."""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from semif.engine import DeadlineExceededError, EngineError, Work
from semif.llama.binding import Library
from semif.llama.engine import LlamaEngine
from tests.model.loaded import Loaded, decision

pytestmark = pytest.mark.model

STATES = [{"lines": [text] * 3} for text in ("The parcel is late.", "Nobody answers.", "It is paid.", "Broken glass.")]
QUESTIONS = ("Which queue?", "Is it urgent?", "What is missing from this case?")
Key = tuple[int, str]

step = st.one_of(
    st.tuples(st.just("ask"), st.integers(0, 3), st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=4)),
    st.tuples(st.sampled_from(["abort", "late", "fail"]), st.integers(0, 3), st.just([QUESTIONS[0]])),
)


@pytest.fixture(scope="module", params=["hybrid", "attention", "smollm2"])
def resident(request: pytest.FixtureRequest, library: Library, models: dict[str, Path]) -> Iterator[Loaded]:
    """Each of the models with room for two states."""
    with Loaded.open(
        library, models[request.param], tokens=512 if request.param == "smollm2" else 1024, resident_states=2
    ) as model:
        yield model


@pytest.fixture(scope="module")
def alone(resident: Loaded) -> dict[Key, NDArray[np.float32]]:
    """Every question about every state, asked of an engine that knows nothing yet."""
    found = {}
    for index, state in enumerate(STATES):
        for question in QUESTIONS:
            forget(resident)
            found[index, question] = resident.logits(decision(state, question))[0]
    return found


def forget(model: Loaded) -> None:
    """Takes every resident state away."""
    model.engine._states.clear()
    model.engine._context.clear()


def play(model: Loaded, kind: str, work: Work) -> None:
    """An operation that does not end well."""
    context = model.engine._context
    with pytest.MonkeyPatch.context() as patched:
        if kind == "fail":
            patched.setattr(context, "branch_logits", lambda: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                model.engine.score(work)
            return
        if kind == "abort":
            patched.setattr(context, "rearm", context.abort)
        with pytest.raises(DeadlineExceededError):
            model.engine.score(work, deadline=0.0 if kind == "late" else None)


@pytest.mark.rule(
    "After any sequence of requests, aborts and failures, from a resident state or not, an answer has the same bits",
    tool="libllama v0.5.0",
    emulated="",
)
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(steps=st.lists(step, min_size=1, max_size=6))
def test_any_history_gives_the_same_bits(
    resident: Loaded, alone: dict[Key, NDArray[np.float32]], steps: list[tuple[str, int, list[str]]]
) -> None:
    """Random requests in both forms, aborts before and in a decode and failures never change one logit."""
    if resident.vocabulary.size > 1000:
        steps = steps[:2]  # a real model takes its time
    for kind, index, questions in steps:
        asked = [decision(STATES[index], question) for question in questions]
        if kind != "ask":
            play(resident, kind, resident.work(asked))
            continue
        for question, logits in zip(questions, resident.logits(*asked), strict=True):
            assert np.array_equal(logits, alone[index, question])


def test_a_state_stays_until_two_others_came(resident: Loaded) -> None:
    """With room for two, the least recently used state is read again and the other one is not."""
    forget(resident)
    works = [resident.work([decision(state, QUESTIONS[0])]) for state in STATES[:3]]

    seen = [resident.engine.score(works[index]).resident for index in (0, 1, 0, 2, 0, 1)]

    assert seen == [False, False, True, False, True, False]


def test_a_request_that_comes_too_late_takes_no_state_away(resident: Loaded) -> None:
    """What was never begun need not be aborted: what is resident stays."""
    work = resident.work([decision(STATES[0], QUESTIONS[0])])
    resident.engine.score(work)

    with pytest.raises(DeadlineExceededError):
        resident.engine.score(work, deadline=time.monotonic())

    assert resident.engine.score(work).resident


def test_pending_tokens_are_what_is_left_to_decode(resident: Loaded) -> None:
    """Before a state is resident all tokens are pending, afterwards those of its suffixes."""
    forget(resident)
    work = resident.work([decision(STATES[0], question) for question in QUESTIONS])
    suffixes = sum(map(len, work.suffixes))

    before = resident.engine.pending_tokens(work)
    resident.engine.score(work)

    assert before == suffixes + len(work.prefix)
    assert resident.engine.pending_tokens(work) == suffixes


def test_nothing_stays_when_nothing_may(library: Library, models: dict[str, Path]) -> None:
    """With no resident states every request reads its state, and the bits are those of one that stayed."""
    asked = decision(STATES[0], QUESTIONS[0])
    with Loaded.open(library, models["hybrid"], tokens=1024, resident_states=0) as model:
        scored = [model.engine.score(model.work([asked])) for _ in range(2)]

    assert [each.resident for each in scored] == [False, False]
    assert np.array_equal(scored[0].logits[0], scored[1].logits[0])


@pytest.mark.parametrize("name", ["hybrid", "attention"])
def test_fan_out_decodes_together_and_stays_near(library: Library, models: dict[str, Path], name: str) -> None:
    """Suffixes decoded together say so, are as many as may be, and differ from the canonical path in rounding only."""
    asked = [decision(STATES[0], question) for question in QUESTIONS]
    with Loaded.open(library, models[name], tokens=1024, branches=2) as model:
        together = model.engine.score(model.work(asked))
        again = model.engine.score(model.work(asked))
        single = model.engine.score(model.work(asked[:1]))
    with Loaded.open(library, models[name], tokens=1024) as model:
        canonical = model.engine.score(model.work(asked))

    assert (together.together, single.together, canonical.together) == ((2, 2, 1), (1,), (1, 1, 1))
    assert np.array_equal(single.logits[0], canonical.logits[0])
    assert np.array_equal(together.logits[2], canonical.logits[2])
    for first, second, third in zip(together.logits, again.logits, canonical.logits, strict=True):
        assert np.array_equal(first, second)
        assert np.allclose(first, third, atol=0.05)


def test_forgotten_states_are_read_again(resident: Loaded, alone: dict[Key, NDArray[np.float32]]) -> None:
    """After `forget` nothing is resident, and the bits are the same."""
    work = resident.work([decision(STATES[0], QUESTIONS[0])])
    resident.engine.score(work)
    before = resident.engine.score(work)

    resident.engine.forget()
    after = resident.engine.score(work)

    assert (before.resident, after.resident) == (True, False)
    assert np.array_equal(after.logits[0], alone[0, QUESTIONS[0]])


def test_suffix_in_place_gives_the_bits_of_a_suffix_in_a_copy(resident: Loaded) -> None:
    """A question decoded behind its state and cut off again reads the same cells as one in a copy of the state."""
    context = resident.engine._context
    asked = [decision(STATES[0], question) for question in QUESTIONS]
    forget(resident)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(context, "can_cut", False)
        copied = LlamaEngine(context, resident_states=2).score(resident.work(asked)).logits
    forget(resident)

    assert [logits.tobytes() for logits in resident.logits(*asked)] == [logits.tobytes() for logits in copied]
    assert [logits.tobytes() for logits in resident.logits(*asked)] == [logits.tobytes() for logits in copied]


def test_only_models_without_recurrent_layers_are_cut(library: Library, models: dict[str, Path]) -> None:
    """A hybrid's sequence cannot be cut, so its questions go into copies; the others' are decoded in place."""
    for name, can_cut in (("hybrid", False), ("attention", True), ("smollm2", True)):
        with Loaded.open(library, models[name], tokens=512) as model:
            context = model.engine._context
            assert context.can_cut is can_cut
            model.logits(decision(STATES[0], QUESTIONS[0]))
            if not can_cut:
                with pytest.raises(EngineError, match="could not be cut"):
                    context.cut(0, 1)
