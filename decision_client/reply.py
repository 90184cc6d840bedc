"""Pure: a reply of status 200 as the answers to what was asked, or not at all."""

import json
import math
from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError

from decision_client.answer import Answer
from decision_client.errors import ModelFailureError
from decision_client.refusal import OK
from decision_client.request import Asked
from decision_client.scores import calibrated
from decision_client.transport import Reply

PROMPT_VERSION: Final = "direct-options-v1"
"""How this client expects a question to be put to the model."""

_TOLERANCE: Final = 1e-6


def answers(reply: Reply, decisions: Sequence[Asked]) -> tuple[tuple[Answer, ...], dict[str, float] | None]:
    """Return the answers in the order asked, and the timing of a shared request.

    Raises:
        ModelFailureError: The reply does not answer exactly these decisions, or contradicts itself.
    """
    results, timing = _results(reply, shared=len(decisions) > 1)
    if results is None:
        raise _none("it is not of the form that was asked for")
    if len(results) != len(decisions):
        raise _none(f"it holds {len(results)} results for {len(decisions)} decisions")
    return tuple(_answer(result, asked) for result, asked in zip(results, decisions, strict=True)), timing


def _results(reply: Reply, *, shared: bool) -> tuple[list[Any] | None, dict[str, float] | None]:
    try:
        body = json.loads(reply.body, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None, None
    if not isinstance(body, dict):
        return None, None
    if not shared:
        return ([body["result"]] if "result" in body else None), None
    results, timing = body.get("results"), body.get("timing")
    return (results if isinstance(results, list) else None), (_figures(timing) if isinstance(timing, dict) else None)


def _figures(timing: dict[str, Any]) -> dict[str, float]:
    """Leave out what is no figure: nothing is decided by it, so it is no reason to refuse an answer."""
    numbers = {name: value for name, value in timing.items() if isinstance(value, int | float)}
    return {name: value for name, value in numbers.items() if 0 <= value < math.inf}


def _answer(result: Any, asked: Asked) -> Answer:  # noqa: ANN401 - any JSON value
    answer = _valid(result)
    if isinstance(answer, str):
        raise _none(answer)
    problem = _problem(answer, asked)
    if problem:
        raise _none(problem)
    return answer


def _valid(result: Any) -> Answer | str:  # noqa: ANN401 - any JSON value
    try:
        return Answer.model_validate(result)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        # The path holds our names alone, and our own rules no value; what another rule says may quote one.
        rule = first["msg"] if first["type"] == "value_error" else first["type"]
        return f"{'.'.join(map(str, first['loc'])) or 'result'}: {rule}"


def _problem(answer: Answer, asked: Asked) -> str:
    """Name what does not fit the request, or contradicts itself; empty if nothing does."""
    greatest = max(answer.option_logits)
    expected = calibrated(answer.option_logits, 1.0)
    pairs = zip(answer.probabilities, expected, strict=True)
    rules = {
        "id: is not the decision's": answer.id == asked.id,
        "option_ids: are not those that were asked, in their order": answer.option_ids == asked.definition.option_ids,
        "prompt_version: is not the one this client knows": answer.prompt_version == PROMPT_VERSION,
        "prompt_version: differs from the identity record's": answer.prompt_version == answer.model.prompt_version,
        "probabilities: do not follow from option_logits": all(abs(p - q) <= _TOLERANCE for p, q in pairs),
        "choice: is not the first of the most likely options": (
            answer.option_ids.index(answer.choice) == answer.option_logits.index(greatest)
        ),
        "tie: is not what option_logits say": answer.tie == (answer.option_logits.count(greatest) > 1),
        "model: has no digest": _has_digest(answer),
    }
    return next((problem for problem, holds in rules.items() if not holds), "")


def _has_digest(answer: Answer) -> bool:
    try:
        return bool(answer.model.sha256)
    except ValueError:  # half of a surrogate pair is valid JSON and no text
        return False


def _none(problem: str) -> ModelFailureError:
    return ModelFailureError(f"the endpoint's answer is none: {problem}", status=OK, code="invalid_answer")


def _no_constant(_name: str) -> None:
    raise ValueError
