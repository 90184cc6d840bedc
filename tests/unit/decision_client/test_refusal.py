"""What a refusal becomes, and what of it is repeated."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision_client.errors import (
    DecisionError,
    EndpointBusyError,
    InvalidRequestError,
    NotAllowedError,
    TooSlowHereError,
)
from decision_client.refusal import refusal
from decision_client.transport import Reply
from tests.unit.decision_client.scripted import refused

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=5,
)
FIELDS = st.sampled_from(["error", "code", "field", "retryable", "retry_after_seconds"])


def test_refusal_names_status_code_and_field() -> None:
    """What a program and a person need is there, the sentence of the container is not."""
    error = refusal(refused(400, "empty", field="decision.options[1].description"))

    assert isinstance(error, InvalidRequestError)
    assert str(error) == "the endpoint answered 400 empty (decision.options[1].description)"
    assert (error.status, error.code) == (400, "empty")


@pytest.mark.parametrize(
    ("code", "sentence", "said"),
    [
        ("too_many", "decisions has 9 entries; 1 to 8 are allowed", "more decisions or options in one request than"),
        (
            "prompt_too_long",
            "decision makes a prompt of 5000 tokens; at most 4096 are allowed here",
            "5000 tokens, at most 4096",
        ),
        (
            "too_slow_here",
            "the request's 9000 tokens would take about 70 s here; at most 50 s are allowed",
            "70 s, at most 50 s",
        ),
    ],
)
def test_figures_of_a_refusal_are_repeated(code: str, sentence: str, said: str) -> None:
    """How far beyond a limit a request was is worth knowing."""
    assert said in str(refusal(refused(400, code, error=sentence)))


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, TooSlowHereError), (422, TooSlowHereError), (403, NotAllowedError), (503, EndpointBusyError)],
)
def test_machine_that_is_too_slow_is_told_from_a_malformed_request(status: int, kind: type[DecisionError]) -> None:
    """By the container's code, where the status is that of a refused request; who catches those catches it too."""
    error = refusal(refused(status, "too_slow_here"))

    assert type(error) is kind
    assert issubclass(TooSlowHereError, InvalidRequestError)


@pytest.mark.parametrize(
    "body",
    [
        {"code": "unknown_field", "field": "decision.state.canary", "error": "canary"},
        {"code": "unknown_field", "field": "canary"},
        {"code": "canary 7", "error": "canary"},
        {"code": ["canary"], "field": {"canary": 1}},
        {"code": "prompt_too_long", "error": "prompt of canary tokens; at most 5 are allowed"},
        "canary",
    ],
)
def test_refusal_repeats_nothing_of_a_request(body: Any) -> None:
    """A key of the state may be in the field's path, and anything in the sentence."""
    error = refusal(Reply(400, json.dumps(body).encode()))

    assert "canary" not in str(error) + repr(error) + str(vars(error))


@given(status=st.integers(100, 599).filter(lambda status: status != 200), body=st.dictionaries(FIELDS, JSON) | JSON)
def test_any_refusal_becomes_an_exception(status: int, body: Any) -> None:
    """Whatever the body holds, the status decides, and a wait is a time or none."""
    error = refusal(Reply(status, json.dumps(body).encode()))

    assert isinstance(error, DecisionError)
    assert (error.status, isinstance(error, EndpointBusyError)) == (status, status in {429, 503})
    assert error.retry_after_seconds is None or 0 <= error.retry_after_seconds <= 86_400


@given(body=st.binary(max_size=50))
def test_body_that_is_no_json_is_no_problem(body: bytes) -> None:
    """A proxy's page, or nothing."""
    assert refusal(Reply(503, body)).status == 503


@pytest.mark.parametrize("asked", [True, "5", -1, float("nan"), float("inf"), None, [1]])
def test_wait_that_is_none_is_ignored(asked: Any) -> None:
    """The rules' own wait counts then."""
    assert refusal(refused(503, retry_after_seconds=asked)).retry_after_seconds is None


@pytest.mark.parametrize("asked", [1e9, 10**400])
def test_wait_beyond_any_deadline_stays_one(asked: float) -> None:
    """Who is told to come back in years does not come back in a second."""
    assert refusal(refused(503, retry_after_seconds=asked)).retry_after_seconds == 86_400
