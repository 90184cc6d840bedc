"""Answers and refusals as JSON bytes."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from semif.decision import PROBABILITY_STATUS, PROMPT_VERSION, READOUT, RequestError, Result, Timing


def answer_body(results: tuple[Result, ...], model: Mapping[str, object], timing: Timing | None) -> bytes:
    """The answer to a single decision (`timing` is None) or to several that share their state.

    `model` is the identity record as JSON values: the same for every answer, so it is made once.
    """
    listed = [_result(result, model) for result in results]
    answer = {"result": listed[0]} if timing is None else {"results": listed, "timing": asdict(timing)}
    return _dump(answer)


def error_body(error: RequestError, retry_after_seconds: int | None = None) -> bytes:
    """A refusal; `retry_after_seconds` only where the same request may succeed later."""
    body: dict[str, Any] = {"error": error.message, "code": error.code, "field": error.field}
    body["retryable"] = retry_after_seconds is not None
    if retry_after_seconds is not None:
        body["retry_after_seconds"] = retry_after_seconds
    return _dump(body)


def _result(result: Result, model: Mapping[str, object]) -> dict[str, Any]:
    decision, readout = result.decision, result.readout
    option_ids = [option.id for option in decision.options]
    return {
        "id": decision.id,
        "choice": option_ids[readout.choice],
        "tie": readout.tie,
        "low_mass": readout.low_mass,
        "low_margin": readout.low_margin,
        "option_ids": option_ids,
        "probabilities": readout.probabilities,
        "option_logits": readout.option_logits,
        "answer_token_ids": result.answer_token_ids,
        "allowed_token_mass": readout.allowed_token_mass,
        "full_vocab_argmax_id": readout.full_vocab_argmax_id,
        "input_tokens": result.input_tokens,
        "prompt_sha256": result.prompt_sha256,
        "prompt_version": PROMPT_VERSION,
        "readout": READOUT,
        "probability_status": PROBABILITY_STATUS,
        "model": {**model, "serving_path": result.serving_path},
        "forward_seconds": result.forward_seconds,
        "total_seconds": result.total_seconds,
    }


def _dump(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
