"""Requests as JSON: what passes, what is refused, and that nothing else can happen."""

import contextlib
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semif.decision import Decision, DecisionRequest, Option, RequestError
from semif.wire import parse_request
from semif.wire.strict_json import MAX_DEPTH, load

TOKEN = re.compile(re.escape("<|t|>"))

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(
    lambda text: "<|t|>" not in text
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=10,
)
states = json_values.filter(lambda value: isinstance(value, str | list | dict) and bool(value))
decisions = st.fixed_dictionaries(
    {
        "id": texts,
        "state": states,
        "question": texts,
        "options": st.lists(
            st.fixed_dictionaries({"id": texts, "description": texts}),
            min_size=2,
            max_size=16,
            unique_by=lambda option: option["id"],
        ),
    }
)


@given(decisions)
def test_valid_decision_passes_unchanged(body: dict[str, Any]) -> None:
    """Every decision the contract allows comes out with the same id, state, question and options."""
    request = parse_request(json.dumps({"decision": body}).encode(), 8, TOKEN)

    options = tuple(Option(option["id"], option["description"]) for option in body["options"])
    assert request == DecisionRequest((Decision(body["id"], body["state"], body["question"], options),), shared=False)


@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_parsed_or_refused(body: bytes) -> None:
    """No bytes lead to anything but a request or a refusal."""
    with contextlib.suppress(RequestError):
        parse_request(body, 8, TOKEN)


@given(json_values, st.sampled_from(["decision", "decisions"]))
def test_any_json_is_parsed_or_refused(value: Any, form: str) -> None:
    """No JSON value in the place of a decision leads to anything but a request or a refusal."""
    for body in (value, {form: value}, {form: [value]}, {form: {"id": value, "state": value, "options": [value]}}):
        with contextlib.suppress(RequestError):
            parse_request(json.dumps(body).encode(), 8, TOKEN)


@given(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=6), st.integers(0, 5))
def test_a_repeated_key_is_found_at_any_depth(keys: list[str], depth: int) -> None:
    """A repeated key is refused wherever it is, and only then."""
    inner = "{" + ",".join(f'"{key}": 1' for key in keys) + "}"
    body = ('{"x": [' * depth + inner + "]}" * depth).encode()

    if len(set(keys)) == len(keys):
        assert load(body, None)
    else:
        with pytest.raises(RequestError, match="more than once"):
            load(body, None)


@pytest.mark.parametrize("levels", [MAX_DEPTH, MAX_DEPTH + 1])
def test_depth_limit_is_exact(levels: int) -> None:
    """The deepest allowed nesting passes; one level more is refused."""
    body = b"[" * levels + b"]" * levels

    if levels <= MAX_DEPTH:
        assert load(body, None) is not None
    else:
        with pytest.raises(RequestError) as refused:
            load(body, None)
        assert refused.value.code == "too_deep"


def test_a_hostile_key_is_not_echoed_at_length() -> None:
    """A field's name in a refusal is short, however long the key was."""
    body = json.dumps({"k" * 10000: {"l" * 10000: [float("inf")]}}).encode()

    with pytest.raises(RequestError) as refused:
        load(body, None)

    assert refused.value.code == "not_finite"
    assert len(refused.value.message) < 300


@given(states, states)
def test_shared_states_are_equal_only_as_the_model_reads_them(first: Any, second: Any) -> None:
    """Two decisions share a state only if both would be the same text in the prompt."""
    options = [{"id": "a", "description": "A"}, {"id": "b", "description": "B"}]
    asked = [{"id": str(n), "state": s, "question": "?", "options": options} for n, s in enumerate((first, second))]
    body = json.dumps({"decisions": asked}).encode()

    if json.dumps(first, ensure_ascii=False) == json.dumps(second, ensure_ascii=False):
        assert parse_request(body, 8, None).shared
    else:
        with pytest.raises(RequestError) as refused:
            parse_request(body, 8, None)
        assert refused.value.code == "state_differs"


def test_control_token_hidden_by_an_escape_is_found() -> None:
    """A control token is found although its JSON text is escaped."""
    with pytest.raises(RequestError, match="control token"):
        load(rb'{"state": "\u003c|t|\u003e"}', TOKEN)


@pytest.mark.parametrize("count", [1, 8, 9])
def test_a_list_may_be_as_long_as_allowed_and_no_longer(count: int) -> None:
    """Eight decisions where eight are allowed are a request, nine are refused."""
    options = [{"id": "a", "description": "A"}, {"id": "b", "description": "B"}]
    asked = [{"id": str(number), "state": "s", "question": "?", "options": options} for number in range(count)]
    body = json.dumps({"decisions": asked}).encode()

    if count <= 8:
        assert len(parse_request(body, 8, None).decisions) == count
    else:
        with pytest.raises(RequestError, match="has 9 entries; 1 to 8 are allowed"):
            parse_request(body, 8, None)
