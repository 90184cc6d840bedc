import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.ask import CHAT_REQUEST
from ops.ask.chat_stream import StreamCutError, contents, stream_chat


def _event(content: str | None) -> bytes:
    delta = {} if content is None else {"content": content}
    return f"data: {json.dumps({'choices': [{'delta': delta}]}, ensure_ascii=False)}\n\n".encode()


END = b"data: [DONE]\n\n"


class FakeStream(list[dict[str, Any]]):
    """The events of an answer; whoever has read enough closes it."""

    closed = False

    def close(self) -> None:
        """Be read no further."""
        self.closed = True


class FakeRuntime:
    """Answers a streamed call with prepared payloads and remembers what it was asked."""

    def __init__(self, *payloads: bytes) -> None:
        self.calls: list[dict[str, Any]] = []
        self.stream = FakeStream({"PayloadPart": {"Bytes": payload}} for payload in payloads)

    def invoke_endpoint_with_response_stream(self, **call: Any) -> dict[str, Any]:
        """Remember the call and answer."""
        self.calls.append(call)
        return {"Body": self.stream}


def test_chat_is_asked_the_known_question_as_a_stream() -> None:
    """The request is the one of the whole answer, but for the wish to have it in pieces."""
    runtime = FakeRuntime(_event("Par"), _event("is.\n") + END)

    streamed = stream_chat(runtime, "semif-test-chat")  # type: ignore[arg-type] # the fake has the one method used

    (call,) = runtime.calls
    assert json.loads(call["Body"]) == {**CHAT_REQUEST, "stream": True}
    assert runtime.stream.closed
    assert streamed.pieces == ("Par", "is.\n")
    assert streamed.sentence.startswith("Paris. (2 pieces, the first after 0.0")


@given(st.lists(st.text(min_size=1, max_size=5), max_size=6), st.data())
def test_text_does_not_depend_on_where_the_stream_is_cut(pieces: list[str], data: st.DataObject) -> None:
    """Cut inside a line, a number or a letter of several bytes, the pieces are those of the events."""
    stream = b": keeps the connection open\n\n" + b"".join(map(_event, [*pieces, None])) + END
    places = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    parts = [stream[start:end] for start, end in zip([0, *places], [*places, len(stream)], strict=True)]

    assert list(contents(parts)) == pieces


@pytest.mark.parametrize("parts", [[], [_event("Par")], [_event("Par"), END[:-3]]])
def test_stream_that_breaks_off_is_no_answer(parts: list[bytes]) -> None:
    """Without the end of the completion nobody takes the beginning for all of it."""
    with pytest.raises(StreamCutError, match="ended before the completion did"):
        list(contents(parts))


@pytest.mark.parametrize("line", [b'data: {"error": {"code": 500}}\n', b'error: {"code": 500}\n'])
def test_error_within_a_stream_is_raised(line: bytes) -> None:
    """The server can fail after it began to answer; what it says is passed on."""
    with pytest.raises(StreamCutError, match=r"sent an error: .*500"):
        list(contents([_event("Par"), line]))
