"""A request's headers and body as an ASGI server hands them over."""

import asyncio
from typing import Any

import pytest

from semif.asgi import Disconnected, body_of, headers_of


def test_of_several_headers_with_one_name_the_first_counts() -> None:
    """Names are compared in any case; nobody can add a second meaning behind the first."""
    scope = {"headers": [(b"Content-Type", b"application/json"), (b"content-type", b"text/plain"), (b"x", b"\xb2")]}

    assert headers_of(scope) == {"content-type": "application/json", "x": "²"}


def read(*messages: dict[str, Any], at_most: int = 100) -> tuple[bytes, int]:
    """The body, and how many messages were taken for it; the last one comes again and again."""
    taken = 0

    async def receive() -> dict[str, Any]:
        nonlocal taken
        taken += 1
        await asyncio.sleep(0)
        return messages[min(taken, len(messages)) - 1]

    return asyncio.run(body_of(receive, at_most=at_most, seconds=5)), taken


def piece(size: int, *, more: bool) -> dict[str, Any]:
    """A part of a body."""
    return {"type": "http.request", "body": b"x" * size, "more_body": more}


def test_a_body_is_read_to_its_end_and_no_further() -> None:
    """Parts, empty ones among them, until the one that says it is the last."""
    assert read(piece(3, more=True), piece(0, more=True), piece(2, more=False), piece(9, more=False)) == (b"x" * 5, 3)
    assert read({"type": "http.request"}) == (b"", 1)


def test_a_body_without_an_end_is_not_read_on() -> None:
    """One part behind the limit is enough to know that it is too long."""
    body, taken = read(piece(30, more=True))

    assert (len(body), taken) == (120, 4)


def test_a_caller_who_leaves_ends_the_reading() -> None:
    """What came until then is no body."""
    with pytest.raises(Disconnected):
        read(piece(3, more=True), {"type": "http.disconnect"})
