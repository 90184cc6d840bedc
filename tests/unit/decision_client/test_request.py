"""What is refused before it is sent, and what is sent."""

import json
from typing import Any

import pytest

from decision_client.definition import DecisionDefinition, Option
from decision_client.errors import InvalidRequestError
from decision_client.request import Asked, request_body
from tests.unit.decision_client.samples import DEFINITION


def nested(levels: int) -> Any:
    """An array in an array, so many deep."""
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


def test_one_decision_is_asked_in_the_single_form() -> None:
    """Exactly the fields of the contract, options in declared order, text as it is."""
    body = json.loads(request_body([Asked("d1", {"a": "한국어"}, DEFINITION)]))

    assert body == {
        "decision": {
            "id": "d1",
            "state": {"a": "한국어"},
            "question": "Which queue should handle this request?",
            "options": [
                {"id": "account", "description": "Account access."},
                {"id": "billing", "description": "Payments."},
                {"id": "none", "description": "None of these."},
            ],
        }
    }


def test_several_decisions_are_asked_in_the_shared_form() -> None:
    """In the order given, each with the state."""
    body = json.loads(request_body([Asked(each, "s", DEFINITION) for each in ("b", "a")]))

    assert [(each["id"], each["state"]) for each in body["decisions"]] == [("b", "s"), ("a", "s")]


CYCLE: list[Any] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("", "empty"),
        ({}, "empty"),
        ([], "empty"),
        (None, "state_type"),
        (7, "state_type"),
        (("canary",), "state_type"),
        ({"canary": {1, 2}}, "state_type"),
        ({"canary": b"x"}, "state_type"),
        ({"canary": float("nan")}, "not_finite"),
        ([float("-inf")], "not_finite"),
        ({"canary": {1: 2}}, "wrong_type"),
        ({"canary": "\ud800"}, "lone_surrogate"),
        ({"\udfff": "canary"}, "lone_surrogate"),
        ([10**5000], "number_too_long"),
        (nested(63), "too_deep"),
        (CYCLE, "too_deep"),
    ],
)
def test_state_that_no_endpoint_takes_is_refused_here(state: Any, code: str) -> None:
    """Nothing is sent, the container's own code says why, and nothing of the state is repeated."""
    with pytest.raises(InvalidRequestError) as caught:
        request_body([Asked("d1", state, DEFINITION)])

    assert (caught.value.code, caught.value.attempts, caught.value.status) == (code, 0, None)
    assert "canary" not in repr(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ([], "too_few"),
        ([Asked("", "s", DEFINITION)], "empty"),
        ([Asked(7, "s", DEFINITION)], "empty"),  # type: ignore[arg-type] # what an untyped caller may do
        ([Asked("a\ud800", "s", DEFINITION)], "lone_surrogate"),
        ([Asked("a", "s", DEFINITION), Asked("a", "s", DEFINITION)], "duplicate_id"),
        ([Asked("a", [1], DEFINITION), Asked("b", [1.0], DEFINITION)], "state_differs"),
        ([Asked("a", [1], DEFINITION), Asked("b", [True], DEFINITION)], "state_differs"),
        ([Asked("a", {"x": 1, "y": 2}, DEFINITION), Asked("b", {"y": 2, "x": 1}, DEFINITION)], "state_differs"),
    ],
)
def test_decisions_that_no_endpoint_takes_are_refused_here(asked: list[Asked], code: str) -> None:
    """Ids are there and differ, and states are equal as the model reads them."""
    with pytest.raises(InvalidRequestError) as caught:
        request_body(asked)
    assert (caught.value.code, caught.value.attempts) == (code, 0)


def test_nothing_of_a_request_is_in_its_text_form() -> None:
    """Who logs what was asked logs the id."""
    definition = DecisionDefinition(
        name="n",
        version="1",
        question="canary",
        options=(Option(id="a", description="canary"), Option(id="b", description="canary")),
    )

    assert "canary" not in repr(Asked("d1", "canary", definition)) + repr(definition) + str(definition)
