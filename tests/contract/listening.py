"""The application behind real sockets on the test's own event loop, for peers that behave badly."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Coroutine
from typing import Any

import uvicorn

from semif.connection import BoundedConnection
from semif.connection_limits import ConnectionLimits
from semif.serving import server_config
from tests.contract.application import Served

SHORT, LONG, BOUND = 0.05, 30.0, 20.0  # seconds: a limit to run into, one that is not reached, one for the test
PING = b"GET /ping HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /invocations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
Peer = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def limits(**changes: Any) -> ConnectionLimits:
    """Limits that no test runs into by itself."""
    given = {"head_bytes": 1000, "head_seconds": LONG, "idle_seconds": LONG, "rest_seconds": LONG, "connections": 300}
    return ConnectionLimits(**given | changes)


class Quiet(uvicorn.Server):
    """A server that leaves the test's signals alone."""

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        """Captures none."""
        yield


class Listening:
    """The application behind real sockets."""

    def __init__(self, served: Served, port: int) -> None:
        """On loopback."""
        self.served = served
        self._port = port
        self._writers: list[asyncio.StreamWriter] = []

    async def connect(self, sent: bytes = b"") -> Peer:
        """A connection on which something was sent."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        writer.write(sent)
        self._writers.append(writer)
        return reader, writer

    async def hang_up(self) -> None:
        """Closes every connection."""
        for writer in self._writers:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def answer(peer: Peer) -> tuple[int, Any]:
    """Status and JSON of one answer."""
    head = await peer[0].readuntil(b"\r\n\r\n")
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
    return int(head.split()[1]), json.loads(await peer[0].readexactly(int(length.split(b":")[1])))


async def ended(peer: Peer) -> bytes:
    """What came until the connection was closed."""
    try:
        return await peer[0].read()
    except ConnectionResetError:  # bytes of ours were still under way to the one who closed
        return b""


@contextlib.asynccontextmanager
async def listening(given: ConnectionLimits, served: Served | None = None) -> AsyncIterator[Listening]:
    """Serves on a loopback port until the block ends."""
    served = served or Served()
    connection = type("Tight", (BoundedConnection,), {"limits": given})
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = server_config(lambda: served.app, connection)
        config.timeout_keep_alive = 0  # uvicorn's own timer, which ends no connection here
        server = Quiet(config)
        running = asyncio.ensure_future(server.serve([listener]))
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event to wait for
            await asyncio.sleep(0.001)
        container = Listening(served, listener.getsockname()[1])
        try:
            yield container
        finally:
            await container.hang_up()
            server.should_exit = server.force_exit = True
            await running


def run(story: Coroutine[Any, Any, None]) -> None:
    """Runs a story that must come to its end."""

    async def bounded() -> None:
        async with asyncio.timeout(BOUND):
            await story

    asyncio.run(bounded())


async def drip(writer: asyncio.StreamWriter) -> None:
    """Sends a byte of a header now and then."""
    writer.write(PING[:-2] + b"X: ")
    while True:
        writer.write(b"x")
        await asyncio.sleep(SHORT / 10)
