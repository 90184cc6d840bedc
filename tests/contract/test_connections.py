"""What a connection may cost, over real sockets: slow, endless, idle and too many."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from semif.connection import BoundedConnection
from semif.connection_limits import ConnectionLimits
from semif.server import BODY_BYTES_PER_SECOND, BODY_SECONDS
from semif.serving import server_config
from tests.contract.application import Served, decision

RUNBOOK = Path(__file__).parents[2] / "docs" / "operations.md"
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
        server = Quiet(server_config(lambda: served.app, connection))
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


@pytest.mark.parametrize("sent", [b"", b"\r\n"], ids=["nothing", "empty line"])
def test_a_connection_on_which_nothing_comes_is_closed(sent: bytes) -> None:
    """Who connects and asks nothing is not kept."""

    async def story() -> None:
        async with listening(limits(head_seconds=SHORT)) as container:
            assert await ended(await container.connect(sent)) == b""

    run(story())


@pytest.mark.parametrize("asked_before", [False, True])
def test_headers_that_never_end_are_refused(*, asked_before: bool) -> None:
    """Headers sent byte by byte end in 408 within the limit, on a new connection and on one that was used."""

    async def story() -> None:
        async with listening(limits(head_seconds=SHORT)) as container:
            peer = await container.connect(PING if asked_before else b"")
            if asked_before:
                assert (await answer(peer))[0] == 200
            dripping = asyncio.ensure_future(drip(peer[1]))
            status, body = await answer(peer)
            assert (status, body["code"], body["retryable"]) == (408, "request_too_slow", False)
            await ended(peer)
            dripping.cancel()

    run(story())


async def drip(writer: asyncio.StreamWriter) -> None:
    """Sends a byte of a header now and then."""
    writer.write(PING[:-2] + b"X: ")
    while True:
        writer.write(b"x")
        await asyncio.sleep(SHORT / 10)


@pytest.mark.parametrize(
    "head",
    [
        b"X: " + b"x" * 70_000,
        b"".join(b"X-%d: x\r\n" % number for number in range(300)) + b"\r\n",
        b"X: " + b"x" * 1001 + b"\r\n\r\n",
    ],
    ids=["one header without an end", "many headers", "one long header"],
)
@pytest.mark.parametrize("pieces", [1, 7])
def test_headers_that_are_too_long_are_refused(head: bytes, pieces: int) -> None:
    """More bytes before the body than the limit are a 431, however they arrive."""

    async def story() -> None:
        async with listening(limits()) as container:
            peer = await container.connect(PING[:-2])
            size = -(-len(head) // pieces)
            for start in range(0, len(head), size):
                await asyncio.sleep(0.002)
                peer[1].write(head[start : start + size])
            status, body = await answer(peer)
            assert (status, body["code"]) == (431, "head_too_large")
            await ended(peer)

    run(story())


def test_headers_up_to_the_limit_are_read_however_they_arrive() -> None:
    """A head just below the limit is no matter, whole or in pieces; nor is the next one on the same connection."""
    head = PING[:-2] + b"X: " + b"x" * 900 + b"\r\n\r\n"

    async def story() -> None:
        async with listening(limits()) as container:
            peer = await container.connect()
            for size in (len(head), 100, 1):
                for start in range(0, len(head), size):
                    peer[1].write(head[start : start + size])
                    await asyncio.sleep(0)
                assert await answer(peer) == (200, {})

    run(story())


def test_what_is_no_http_is_refused_as_everything_else_is() -> None:
    """Bytes that are no request get 400 in the container's own form, and the connection is closed."""

    async def story() -> None:
        async with listening(limits()) as container:
            peer = await container.connect(b"nonsense\r\n\r\n")
            status, body = await answer(peer)
            assert (status, body["code"], body["retryable"]) == (400, "malformed_http", False)
            assert await ended(peer) == b""

    run(story())


def test_an_idle_connection_is_closed_and_a_used_one_is_not() -> None:
    """After an answer the next request may come for a while; an answer that takes longer is waited for."""

    async def story() -> None:
        async with listening(limits(idle_seconds=SHORT, head_seconds=SHORT)) as container:
            container.served.engine.gate.clear()
            body = json.dumps({"decision": decision()}).encode()
            peer = await container.connect(POST % len(body) + body)
            await asyncio.to_thread(container.served.engine.entered.wait, BOUND)
            await asyncio.sleep(2 * SHORT)
            container.served.engine.gate.set()
            assert (await answer(peer))[0] == 200
            assert await ended(peer) == b""

    run(story())


def test_a_refused_body_that_does_not_end_ends_the_connection() -> None:
    """A request that was answered before its body had come may send the rest for a while, and not for ever."""

    async def story() -> None:
        async with listening(limits(rest_seconds=SHORT)) as container:
            peer = await container.connect((POST % 1000).replace(b"json", b"nosj"))
            assert (await answer(peer))[0] == 415
            dripping = asyncio.ensure_future(drip(peer[1]))
            await ended(peer)
            dripping.cancel()

    run(story())


def test_after_a_refused_body_the_connection_is_of_use() -> None:
    """When the rest of a refused body has come, the next request on the connection is answered."""

    async def story() -> None:
        async with listening(limits()) as container:
            peer = await container.connect((POST % 1000).replace(b"json", b"nosj"))
            assert (await answer(peer))[0] == 415
            peer[1].write(b"x" * 1000 + PING)
            assert await answer(peer) == (200, {})

    run(story())


@pytest.mark.rule(
    "A hundred slow senders of headers and bodies hold no place: `/ping` and decisions are answered meanwhile",
    tool="uvicorn, httptools",
    emulated="the engine behind it",
)
def test_a_hundred_slow_connections_do_not_keep_the_ping() -> None:
    """While a hundred peers send headers and bodies without end, `/ping` and decisions are answered."""

    async def story() -> None:
        async with listening(limits()) as container:
            slow = [await container.connect(PING[:20]) for _ in range(50)]
            slow += [await container.connect(POST % 200_000 + b"{") for _ in range(50)]
            for _ in range(10):
                assert await answer(await container.connect(PING)) == (200, {})
            body = json.dumps({"decision": decision()}).encode()
            assert (await answer(await container.connect(POST % len(body) + body)))[0] == 200
            assert not any(reader.at_eof() for reader, _ in slow)

    run(story())


def test_one_connection_too_many_ends_the_one_that_has_owed_for_longest() -> None:
    """At the limit a newcomer takes the place of the peer whose turn it was for longest; who is answered stays."""

    async def story() -> None:
        async with listening(limits(connections=4), Served(places=2)) as container:
            container.served.engine.gate.clear()
            body = json.dumps({"decision": decision()}).encode()
            answered = await container.connect(POST % len(body) + body)
            await asyncio.to_thread(container.served.engine.entered.wait, BOUND)
            slow = [await container.connect(sent) for sent in (PING[:20], POST % 9, PING[:20])]
            for peer in slow:
                await asyncio.sleep(0.01)
                assert await answer(await container.connect(PING)) == (200, {})
                await ended(peer)
            container.served.engine.gate.set()
            assert (await answer(answered))[0] == 200

    run(story())


def test_limits_are_the_documented_ones() -> None:
    """The runbook's table of connections states what a connection gets by default."""
    rows = [line.split("|")[1:3] for line in RUNBOOK.read_text().splitlines() if line.startswith("|")]
    stated = {what.strip(): limit.strip() for what, limit in rows}
    given = ConnectionLimits()

    assert stated["request line and headers"] == f"{given.head_bytes >> 10} KiB"
    assert stated["from an answer to the next request"] == f"{given.idle_seconds:g} s"
    assert stated["the rest of a body whose request was answered before"] == f"{given.rest_seconds:g} s"
    assert stated["open connections"] == f"{given.connections}"
    assert f"{given.head_seconds:g} s" in (limit for what, limit in stated.items() if "end of the headers" in what)
    assert stated["body"] == f"{BODY_SECONDS:g} s + 1 s for each {BODY_BYTES_PER_SECOND >> 10} KiB declared"
