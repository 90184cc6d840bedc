"""Pure: a reply that is no answer as the exception it becomes, with nothing in it that a caller may have sent."""

import json
import math
import re
from typing import Any, Final

from decision_client.errors import (
    DecisionError,
    EndpointBusyError,
    EndpointNotFoundError,
    InvalidRequestError,
    ModelFailureError,
    NotAllowedError,
    TooSlowHereError,
)
from decision_client.transport import Reply

OK: Final = 200
_BUSY: Final = frozenset({429, 503})
_NOT_ALLOWED: Final = frozenset({401, 403})
_NOT_FOUND: Final = 404
_TOO_SLOW: Final = "too_slow_here"
_CLIENT, _SERVER = 400, 500
_LONGEST_SECONDS: Final = 86_400.0  # longer than any deadline
_CODE = re.compile(r"[A-Za-z_]{1,64}")
# A field's path may go on with a key of the state, which is the caller's text; this much of it is ours.
_FIELD = re.compile(
    r"(decision|decisions)(\[\d{1,3}\])?(\.(id|state|question|options(\[\d{1,3}\])?(\.(id|description))?))?"
)
# Of a sentence only its figures are repeated.
_FIGURES: Final = {
    "prompt_too_long": re.compile(r"prompt of (\d{1,9} tokens); at most (\d{1,9}) are allowed"),
    _TOO_SLOW: re.compile(r"take about (\d{1,9} s) here; at most (\d{1,6}(?:\.\d{1,3})? s) are allowed"),
}
_SAYS: Final = {
    "too_many": "more decisions or options in one request than the endpoint takes",
    "prompt_too_long": "the prompt is longer than the endpoint takes",
    _TOO_SLOW: "the prompt is too long to be answered in time on this endpoint",
    "body_too_large": "the request has more bytes than the endpoint takes",
    "control_token": "a text holds a control token of the model",
}


def refusal(reply: Reply) -> DecisionError:
    """Return the exception for a reply whose status is not 200."""
    said = _object(reply)
    given = said.get("code")
    code = given if isinstance(given, str) and _CODE.fullmatch(given) else ""
    kind = _kind(reply.status, code)
    message = f"the endpoint answered {reply.status}"
    message += f" {code}" if code else ""
    message += f": {_SAYS[code]}" if code in _SAYS else ""
    if kind in {InvalidRequestError, TooSlowHereError}:
        message += _where(said, code)
    wait = _wait(said) if kind is EndpointBusyError else None
    return kind(message, status=reply.status, code=code, retry_after_seconds=wait)


def _wait(said: dict[str, Any]) -> float | None:
    asked = said.get("retry_after_seconds")
    if isinstance(asked, bool) or not isinstance(asked, int | float) or not 0 <= asked < math.inf:
        return None
    return float(min(asked, _LONGEST_SECONDS))


def _kind(status: int, code: str) -> type[DecisionError]:
    if status in _BUSY:
        return EndpointBusyError
    if status in _NOT_ALLOWED:
        return NotAllowedError
    if status == _NOT_FOUND:
        return EndpointNotFoundError
    if not _CLIENT <= status < _SERVER:
        return ModelFailureError
    return TooSlowHereError if code == _TOO_SLOW else InvalidRequestError


def _where(said: dict[str, Any], code: str) -> str:
    field, sentence = said.get("field"), said.get("error")
    known = _FIELD.match(field) if isinstance(field, str) else None
    text = f" ({known[0]})" if known else ""
    if code in _FIGURES and isinstance(sentence, str) and (found := _FIGURES[code].search(sentence)):
        text += f": {found[1]}, at most {found[2]}"
    return text


def _object(reply: Reply) -> dict[str, Any]:
    try:
        said = json.loads(reply.body)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
