"""What is asked, checked before anything is sent, and the body that asks it."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from decision_client.definition import DecisionDefinition
from decision_client.errors import InvalidRequestError

MAX_DEPTH = 64  # of the whole body, as the container counts
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Asked:
    """One decision to be made: the caller's id for it, the evidence as JSON, and the question put to it."""

    id: str
    state: Any = field(repr=False)
    definition: DecisionDefinition = field(repr=False)


def request_body(decisions: Sequence[Asked]) -> bytes:
    """Return the body that asks one decision, or several about one state.

    Raises:
        InvalidRequestError: No endpoint would take it; the rule and where it is broken are named, nothing of the text.
    """
    if not decisions:
        raise invalid("there is no decision to ask for", "too_few")
    if not all(isinstance(each.id, str) and each.id for each in decisions):
        raise invalid("id: is not a string with something in it", "empty")
    if len({each.id for each in decisions}) != len(decisions):
        raise invalid("id: two decisions of one request have the same", "duplicate_id")
    states = [state_text(each.state) for each in decisions]
    if any(text != states[0] for text in states):
        raise invalid("state: decisions of one request must be about one state", "state_differs")
    listed = [_decision(each) for each in decisions]
    body = {"decision": listed[0]} if len(listed) == 1 else {"decisions": listed}
    _check(body)
    text = json.dumps(body, ensure_ascii=False)
    if _SURROGATE.search(text):
        raise invalid("a text holds half of a surrogate pair", "lone_surrogate")
    return text.encode()


def state_text(state: Any) -> str:  # noqa: ANN401 - what an application calls a state is checked here
    """Return a state as the JSON text that the model reads.

    Raises:
        InvalidRequestError: It is none that an endpoint takes.
    """
    if not isinstance(state, str | dict | list):
        raise invalid("state: is neither a string, an object nor an array", "state_type")
    if not state:
        raise invalid("state: is empty", "empty")
    _check(state)
    try:
        return json.dumps(state, ensure_ascii=False)
    except ValueError:
        pass  # raised below, where no exception holding a part of the state is its context
    raise invalid("state: an integer has more digits than can be written", "number_too_long")


def invalid(message: str, code: str) -> InvalidRequestError:
    """Return the refusal of a request that is not sent."""
    return InvalidRequestError(message, code=code, attempts=0)


def _decision(asked: Asked) -> dict[str, Any]:
    options = [{"id": option.id, "description": option.description} for option in asked.definition.options]
    return {"id": asked.id, "state": asked.state, "question": asked.definition.question, "options": options}


def _check(root: Any) -> None:  # noqa: ANN401 - any value an application may hold
    """Refuse what JSON does not have; `json.dumps` would write it as something else, and silently."""
    pending: list[tuple[Any, int]] = [(root, 0)]
    while pending:
        value, depth = pending.pop()
        if isinstance(value, float) and not math.isfinite(value):
            raise invalid("state: holds a number that is not finite", "not_finite")
        if value is None or isinstance(value, str | bool | int | float):
            continue
        if not isinstance(value, dict | list):
            raise invalid(f"state: holds a {type(value).__name__}, which is no JSON value", "state_type")
        if depth == MAX_DEPTH:
            raise invalid("state: is nested too deep", "too_deep")
        if isinstance(value, dict) and not all(isinstance(key, str) for key in value):
            raise invalid("state: a key of an object is no string", "wrong_type")
        pending.extend((each, depth + 1) for each in (value.values() if isinstance(value, dict) else value))
