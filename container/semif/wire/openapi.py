"""The dialect as an OpenAPI document: requests from the models that check them, answers as `answer.py` writes them."""

import json
from collections.abc import Mapping
from typing import Any

from semif import ADAPTER_VERSION
from semif.wire.request import SharedBody, SingleBody

_STRING, _NUMBER, _COUNT, _FLAG = {"type": "string"}, {"type": "number"}, {"type": "integer"}, {"type": "boolean"}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(item: Mapping[str, object]) -> dict[str, object]:
    return {"type": "array", "items": item, "minItems": 2, "maxItems": 16}


_RESULT = _object(
    {
        "id": _STRING,
        "choice": _STRING,
        "tie": _FLAG,
        "low_mass": _FLAG,
        "low_margin": _FLAG,
        "option_ids": _list(_STRING),
        "probabilities": _list(_SHARE),
        "option_logits": _list(_NUMBER),
        "answer_token_ids": _list(_COUNT),
        "allowed_token_mass": _SHARE,
        "full_vocab_argmax_id": _COUNT,
        "input_tokens": _COUNT,
        "prompt_sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "prompt_version": _STRING,
        "readout": _STRING,
        "probability_status": _STRING,
        "model": {"type": "object"},
        "forward_seconds": _NUMBER,
        "total_seconds": _NUMBER,
    }
)
_TIMING = _object(
    {
        "batch_size": _COUNT,
        "prefix_tokens": _COUNT,
        "prefill_seconds": _NUMBER,
        "suffix_forward_seconds": _NUMBER,
        "total_seconds": _NUMBER,
        "max_request_tokens": _COUNT,
        "max_tokens_per_decision": _COUNT,
    }
)
_REFUSAL = {
    "type": "object",
    "properties": {
        "error": _STRING,
        "code": _STRING,
        "field": {"type": ["string", "null"]},
        "retryable": _FLAG,
        "retry_after_seconds": {"type": "integer", "minimum": 1},
    },
    "required": ["error", "code", "field", "retryable"],
    "additionalProperties": False,
}
_REFUSALS = {
    "400": "The request is refused; `code` says why.",
    "413": "The body is longer than allowed.",
    "415": "The body is not `application/json`.",
    "500": "Something else went wrong.",
    "503": "Not now: every place is taken, or the answer would come too late.",
}


def openapi_body(max_shared_decisions: int) -> bytes:
    """The document, for a container that takes lists of this many decisions."""
    from pydantic.json_schema import models_json_schema  # noqa: PLC0415 - 30 ms that the start need not wait for

    (_, definitions) = models_json_schema(
        [(SingleBody, "validation"), (SharedBody, "validation")], ref_template="#/components/schemas/{model}"
    )
    schemas: dict[str, Any] = definitions["$defs"]
    schemas["SharedBody"]["properties"]["decisions"] |= {"minItems": 1, "maxItems": max_shared_decisions}
    schemas["Refusal"] = _REFUSAL
    schemas["Result"] = _RESULT
    result = {"$ref": "#/components/schemas/Result"}
    shared = _object({"results": {"type": "array", "items": result, "minItems": 1}, "timing": _TIMING})
    answers = {"200": _response("The decision or decisions.", {"oneOf": [_object({"result": result}), shared]})}
    refusal = {"$ref": "#/components/schemas/Refusal"}
    answers |= {status: _response(text, refusal) for status, text in _REFUSALS.items()}
    body = _content({"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("SingleBody", "SharedBody")]})
    ping = {
        "200": _response("The container can decide.", {"type": "object"}),
        "503": _response("It cannot.", {"type": "object"}),
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "SemIf decisions", "version": ADAPTER_VERSION},
        "paths": {
            "/ping": {"get": {"operationId": "ping", "responses": ping}},
            "/invocations": {
                "post": {
                    "operationId": "decide",
                    "requestBody": {"required": True, **body},
                    "responses": answers,
                }
            },
        },
        "components": {"schemas": schemas},
    }
    return json.dumps(document, separators=(",", ":")).encode()


def _content(schema: Mapping[str, object]) -> dict[str, object]:
    return {"content": {"application/json": {"schema": schema}}}


def _response(text: str, schema: Mapping[str, object]) -> dict[str, object]:
    return {"description": text, **_content(schema)}
