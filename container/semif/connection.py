"""One connection: what a peer may hold, and for how long, before there is a request to answer.

uvicorn bounds neither the size nor the time of a request's headers, and its keep-alive timer stops at the next byte,
whatever that is the beginning of. Here a timer runs whenever the peer owes something, except while the application
reads a body, which has a time of its own; uvicorn's never does.
"""

import asyncio
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from semif.connection_limits import ConnectionLimits
from semif.decision import RequestError
from semif.wire import error_body


class BoundedConnection(HttpToolsProtocol):
    """uvicorn's connection within limits.

    Attributes:
        owes_since: Of the loop's time, when the peer's turn began; None while only the application has something to do.
    """

    limits = ConnectionLimits()

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._timer: asyncio.TimerHandle | None = None
        self.owes_since: float | None = None
        self._in_head = False
        self._in_body = False
        self._refused = False
        self._parsed_bytes = 0  # of the head, when it is complete
        self._unparsed_bytes = 0  # received after the head's first bytes, while it is not
        self._unanswered: list[RequestResponseCycle] = []

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Begins to wait for a request; makes room if there are too many who do."""
        super().connection_made(transport)
        self._wait(self.limits.head_seconds)
        if len(self.connections) > self.limits.connections:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits for nothing any more; uvicorn tells the last of several requests alone that its caller is gone."""
        self._stop_waiting()
        for cycle in self._unanswered:
            cycle.disconnected = not cycle.response_complete
            cycle.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Reads on; headers that do not end are refused."""
        if self._refused:
            return  # until the peer has stopped: closing on what it still sends would take the refusal from it
        was_in_head = self._in_head
        super().data_received(data)
        if self._in_head and not was_in_head:
            self._wait(self.limits.head_seconds)
        elif self._in_head:
            self._unparsed_bytes += len(data)
            if self._unparsed_bytes > self.limits.head_bytes:
                self._refuse_head()

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._in_head, self._parsed_bytes, self._unparsed_bytes = True, 0, 0

    def on_headers_complete(self) -> None:
        """The request goes to the application, which sees to its body."""
        self._parsed_bytes = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if self._parsed_bytes > self.limits.head_bytes:
            raise ValueError  # the parser stops, and uvicorn asks for a 400
        self._in_head, self._in_body = False, True
        self._stop_waiting()
        super().on_headers_complete()
        self._unanswered = [each for each in self._unanswered if not each.response_complete] + [self.cycle]
        self.owes_since = self.loop.time()

    def on_message_complete(self) -> None:
        """The request is complete; if its answer is, too, the next one may come."""
        super().on_message_complete()
        self._in_body = False
        self.owes_since = None
        if self.cycle.response_complete:
            self._wait(self.limits.idle_seconds)

    def on_response_complete(self) -> None:
        """The answer is on its way: the next request may come, after the rest of this one if there is any."""
        super().on_response_complete()
        self._unset_keepalive_if_required()
        if self.cycle.response_complete and not self._in_head:  # nothing was sent ahead
            closing = self._in_body or self.transport.is_closing()
            self._wait(self.limits.rest_seconds if closing else self.limits.idle_seconds)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's text is no answer of this container
        """Refuses what is no request, or one with too long a head."""
        if self._parsed_bytes > self.limits.head_bytes:
            self._refuse_head()
        else:
            self._refuse(400, "malformed_http", "this is no HTTP request")

    def _refuse_head(self) -> None:
        self._refuse(431, "head_too_large", f"at most {self.limits.head_bytes} bytes are allowed before the body")

    def _refuse(self, status: int, code: str, message: str) -> None:
        self._in_head, self._refused = False, True
        self._wait(self.limits.rest_seconds)
        if self.cycle is None or self.cycle.response_complete:  # or the refusal would stand within an answer
            body = error_body(RequestError(code, message))
            head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body)
            self.transport.write(STATUS_LINE[status] + head + body)
            self.transport.write_eof()
        else:
            self.transport.close()

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self.owes_since = self.loop.time()
        self._timer = self.loop.call_later(seconds, self._too_late)

    def _stop_waiting(self) -> None:
        self.owes_since = None
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _too_late(self) -> None:
        if self._in_head:
            self._refuse(408, "request_too_slow", f"no end of the headers within {self.limits.head_seconds:g} s")
        elif self.transport.get_write_buffer_size():
            self.transport.abort()  # what is still to be sent has no taker
        else:
            self.transport.close()

    def _make_room(self) -> None:
        there = [each for each in self.connections if isinstance(each, BoundedConnection) and each is not self]
        owing = [each for each in there if each.owes_since is not None and not each.transport.is_closing()]
        min(owing, key=lambda each: each.owes_since or 0.0, default=self).transport.abort()
