"""The request's shape: bytes to a `DecisionRequest`, or a refusal that names field and rule."""

import json
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, WithJsonSchema
from pydantic_core import ErrorDetails, PydanticCustomError

from semif.decision import LETTERS, Decision, DecisionRequest, Option, RequestError
from semif.wire import strict_json

_RULES = {
    "extra_forbidden": ("unknown_field", "is not a field of this request"),
    "missing": ("missing_field", "is required"),
    "string_type": ("wrong_type", "must be a string"),
    "string_too_short": ("empty", "must not be empty"),
    "list_type": ("wrong_type", "must be an array"),
    "model_type": ("wrong_type", "must be an object"),
    "too_short": ("too_few", f"must have between 2 and {len(LETTERS)} entries"),
    "too_long": ("too_many", f"must have between 2 and {len(LETTERS)} entries"),
}


def _state(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if not isinstance(value, str | list | dict):
        raise PydanticCustomError("state_type", "must be a string, an object or an array")
    if not value:
        raise PydanticCustomError("empty", "must not be empty")
    return value


_STATE_SCHEMA = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "object", "minProperties": 1},
        {"type": "array", "minItems": 1},
    ]
}


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


_NonEmpty = Annotated[str, StringConstraints(min_length=1)]


class OptionBody(_Model):
    """One declared answer."""

    id: str
    description: str


class DecisionBody(_Model):
    """One question about one state."""

    id: _NonEmpty
    state: Annotated[Any, AfterValidator(_state), WithJsonSchema(_STATE_SCHEMA)]
    question: _NonEmpty
    options: Annotated[list[OptionBody], Field(min_length=2, max_length=len(LETTERS))]


class SingleBody(_Model):
    """The form with one decision."""

    decision: DecisionBody


class SharedBody(_Model):
    """The form with several decisions about one state."""

    decisions: list[DecisionBody]


def parse_request(body: bytes, max_shared_decisions: int, control_token: re.Pattern[str] | None) -> DecisionRequest:
    """Reads a request's body.

    Raises:
        RequestError: The body breaks a rule of the native dialect.
    """
    raw = strict_json.load(body, control_token)
    if not isinstance(raw, dict):
        raise RequestError("wrong_type", "the body must be a JSON object")
    if ("decision" in raw) == ("decisions" in raw):
        raise RequestError("one_form", "the body must hold either decision or decisions", "decision")
    try:
        if "decision" in raw:
            return DecisionRequest((_value(SingleBody.model_validate(raw).decision, "decision"),), shared=False)
        return _shared(raw, max_shared_decisions)
    except ValidationError as error:
        raise _refusal(error.errors(include_url=False, include_input=False)[0]) from None


def _shared(raw: dict[str, Any], limit: int) -> DecisionRequest:
    listed = raw["decisions"]
    if isinstance(listed, list) and not 1 <= len(listed) <= limit:
        code = "too_many" if listed else "too_few"
        raise RequestError(code, f"decisions has {len(listed)} entries; 1 to {limit} are allowed", "decisions")
    bodies = SharedBody.model_validate(raw).decisions
    decisions = tuple(_value(body, f"decisions[{index}]") for index, body in enumerate(bodies))
    _unique([decision.id for decision in decisions], "decisions")
    # Compared as the model would read it: 1, 1.0 and true are equal in Python but not in a prompt.
    first, *rest = (json.dumps(decision.state, ensure_ascii=False) for decision in decisions)
    for index, text in enumerate(rest, start=1):
        if text != first:
            where = f"decisions[{index}].state"
            raise RequestError("state_differs", f"{where} must equal decisions[0].state exactly", where)
    return DecisionRequest(decisions, shared=True)


def _value(body: DecisionBody, path: str) -> Decision:
    _unique([option.id for option in body.options], f"{path}.options")
    options = tuple(Option(option.id, option.description) for option in body.options)
    return Decision(body.id, body.state, body.question, options)


def _unique(ids: list[str], path: str) -> None:
    seen: set[str] = set()
    for index, value in enumerate(ids):
        if value in seen:
            where = f"{path}[{index}].id"
            raise RequestError("duplicate_id", f"{where} repeats an earlier id", where)
        seen.add(value)


def _refusal(error: ErrorDetails) -> RequestError:
    path = ""
    for step in error["loc"]:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    code, rule = _RULES.get(error["type"], (error["type"], error["msg"]))
    where = strict_json.shown(path)
    return RequestError(code, f"{where} {rule}", where)
