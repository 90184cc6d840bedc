"""The little of ASGI that three routes need: a request's headers and body, a response's two messages.

A framework's routing, middleware and request objects took as long as parsing, checking and logging a decision together.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Disconnected(Exception):  # noqa: N818 - the caller's decision
    """The caller closed the connection before its request was complete."""


@dataclass(frozen=True, slots=True)
class Response:
    """A status, a JSON body, and headers besides its type and length."""

    status: int
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()

    async def send(self, send: Send) -> None:
        """Sends all of it."""
        own = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(self.body))]
        await send({"type": "http.response.start", "status": self.status, "headers": [*own, *self.headers]})
        await send({"type": "http.response.body", "body": self.body})


def headers_of(scope: Scope) -> dict[str, str]:
    """A request's headers by their names in lower case; of several with one name the first."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in reversed(scope["headers"])}


async def body_of(receive: Receive, *, at_most: int, seconds: float) -> bytes:
    """A request's body.

    Args:
        receive: Gives the request's messages.
        at_most: Bytes after which reading ends, one message later at the latest.
        seconds: How long it may take to arrive.

    Raises:
        TimeoutError: It took longer.
        Disconnected: The caller left.
    """
    body = bytearray()
    async with asyncio.timeout(seconds):
        while len(body) <= at_most:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Disconnected
            body += message.get("body", b"")
            if not message.get("more_body", False):
                break
    return bytes(body)


async def disconnected(receive: Receive) -> None:
    """Returns when the caller has left; for a request whose body was read."""
    while (await receive())["type"] != "http.disconnect":
        pass  # what follows a complete body is nothing else, but an ASGI server may say so more than once
