"""What benchmark and load test ask."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.reference_method import common_prefix
from benchmarks.workload import QUESTIONS, history, questions, short_decision
from semif.wire import parse_request

PROMPTS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=8), min_size=1, max_size=5)


def words(text: str) -> int:
    """A stand-in for a vocabulary."""
    return len(text.split())


def test_history_is_as_long_as_wanted_and_not_much_longer() -> None:
    """It ends with the first few events that reach the wanted length."""
    length = words(json.dumps(history(1, tokens=500, count=words)))

    assert 500 <= length < 600


def test_histories_of_different_cases_differ_from_their_start_on() -> None:
    """A state that is kept for one case is of no use for another."""
    first, second = (json.dumps(history(case, tokens=50, count=words)) for case in (1, 2))

    assert first[:20] != second[:20]


def test_history_of_a_case_is_always_the_same() -> None:
    """Runs on different machines measure the same work."""
    assert history(7, tokens=200, count=words) == history(7, tokens=200, count=words)


def test_workload_is_accepted_by_the_container() -> None:
    """Every question, and the short decision, are valid requests."""
    asked = questions(history(1, tokens=50, count=words))

    shared = parse_request(json.dumps({"decisions": asked}).encode(), QUESTIONS, None)
    single = parse_request(json.dumps({"decision": short_decision(1)}).encode(), 1, None)

    assert len(shared.decisions) == QUESTIONS == 21
    assert not single.shared


def test_more_questions_than_there_are_is_refused() -> None:
    """Nothing is silently measured with fewer."""
    with pytest.raises(ValueError, match="there are 21 questions"):
        questions("state", 22)


@given(PROMPTS)
def test_common_prefix_is_shared_by_all_and_leaves_each_prompt_a_token(prompts: list[list[int]]) -> None:
    """The reference decodes it once; the rest of no prompt is empty."""
    cut = common_prefix(prompts)

    assert all(prompt[:cut] == prompts[0][:cut] for prompt in prompts)
    assert all(len(prompt) > cut for prompt in prompts)
    longer = {tuple(prompt[: cut + 1]) for prompt in prompts}
    assert len(longer) > 1 or min(map(len, prompts)) == cut + 1
