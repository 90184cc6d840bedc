"""JSON to values and back: the only place where a request's bytes are read and checked."""

from semif.wire.answer import answer_body, error_body
from semif.wire.headers import declared_length
from semif.wire.openapi import openapi_body
from semif.wire.request import parse_request

__all__ = ["answer_body", "declared_length", "error_body", "openapi_body", "parse_request"]
