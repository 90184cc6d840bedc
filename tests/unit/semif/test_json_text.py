"""Which bytes are text, and which text passes unchanged."""

import json

import pytest

from semif.decision import RequestError
from semif.wire import parse_request
from semif.wire.strict_json import load
from tests.unit.semif.test_wire import TOKEN

EXTREMES = [
    "\x00",
    "\x7f",
    "\ufeff",
    "\u2028",
    "\uffff",
    "\U0010ffff",
    "\u202e",
    "e\u0301",
    "\ud7ff\ue000",
    "a" * 50_000,
]


@pytest.mark.parametrize("text", EXTREMES, ids=lambda text: text[:2].encode("unicode-escape").decode())
@pytest.mark.parametrize("escaped", [False, True])
def test_every_character_of_unicode_passes_unchanged(text: str, *, escaped: bool) -> None:
    """Written as itself or escaped, in keys and values, ids and descriptions, it is the same text afterwards."""
    options = [{"id": text, "description": text}, {"id": f"{text}2", "description": ""}]
    body = {"decision": {"id": text, "state": {text: [text]}, "question": text, "options": options}}

    (asked,) = parse_request(json.dumps(body, ensure_ascii=escaped).encode(), 8, TOKEN).decisions

    assert (asked.id, asked.state, asked.question) == (text, {text: [text]}, text)
    assert [(option.id, option.description) for option in asked.options] == [(text, text), (f"{text}2", "")]


@pytest.mark.parametrize(
    "raw", [b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf0\x9f\x99", b"\xff\xfe{\x00}\x00"]
)
def test_what_is_no_utf8_is_refused(raw: bytes) -> None:
    """Overlong forms, encoded surrogates, beyond the last character, cut off, and UTF-16."""
    with pytest.raises(RequestError) as refused:
        load(b'{"state": "' + raw + b'"}', None)

    assert refused.value.code == "invalid_utf8"


def test_a_byte_order_mark_is_no_json() -> None:
    """JSON begins with a value."""
    with pytest.raises(RequestError) as refused:
        load(b"\xef\xbb\xbf{}", None)

    assert refused.value.code == "invalid_json"
