"""Forms of HTTP that are rare and allowed, or rare and not, over real sockets."""

import asyncio
import json

import pytest

from tests.contract.application import Served, decision
from tests.contract.listening import BOUND, PING, POST, Peer, answer, ended, limits, listening, run

BODY = json.dumps({"decision": decision()}).encode()
ASKED = POST % len(BODY)
CHUNKED = ASKED.replace(b"Content-Length: %d" % len(BODY), b"Transfer-Encoding: chunked")
EXPECTING = ASKED.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n")


async def head_of(peer: Peer) -> bytes:
    """The next answer's status line and headers, in lower case."""
    return (await peer[0].readuntil(b"\r\n\r\n")).lower()


def test_a_chunked_body_without_a_length_is_refused_and_the_connection_is_of_use() -> None:
    """A length must be declared; the refused chunks are read past, and the next request is answered."""

    async def story() -> None:
        async with listening(limits()) as container:
            peer = await container.connect(CHUNKED + b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY) + PING)
            status, body = await answer(peer)
            assert (status, body["code"]) == (400, "no_content_length")
            assert await answer(peer) == (200, {})
            assert container.served.engine.works == []

    run(story())


@pytest.mark.parametrize(
    "head",
    [
        CHUNKED.replace(b"\r\n\r\n", b"\r\nContent-Length: %d\r\n\r\n" % len(BODY)),
        ASKED.replace(b"\r\n\r\n", b"\r\nContent-Length: %d\r\n\r\n" % (len(BODY) - 1)),
        ASKED.replace(b"Content-Length: ", b"Content-Length: +"),
        ASKED.replace(b"Content-Length:", b"Content-Length :"),
    ],
    ids=["length and chunks", "two lengths", "a signed length", "a blank before the colon"],
)
def test_a_body_of_two_meanings_is_no_http(head: bytes) -> None:
    """Where two readers could see two requests there is none: 400, and the connection ends."""

    async def story() -> None:
        async with listening(limits()) as container:
            peer = await container.connect(head + BODY + PING)
            status, body = await answer(peer)
            assert (status, body["code"]) == (400, "malformed_http")
            assert await ended(peer) == b""
            assert container.served.engine.works == []

    run(story())


def test_requests_sent_ahead_are_answered_in_their_order() -> None:
    """Three requests in one piece get three answers, one operation after the other."""

    async def story() -> None:
        async with listening(limits()) as container:
            second = BODY.replace(b"d1", b"d2")
            peer = await container.connect(ASKED + BODY + ASKED + second + PING)
            for name in ("d1", "d2"):
                status, body = await answer(peer)
                assert (status, body["result"]["id"]) == (200, name)
            assert await answer(peer) == (200, {})

    run(story())


def test_a_caller_who_sent_requests_ahead_and_leaves_is_dropped() -> None:
    """The running operation is aborted, and what was sent ahead is never begun."""

    async def story() -> None:
        async with listening(limits(), served := Served()) as container:
            served.engine.gate.clear()
            peer = await container.connect((ASKED + BODY) * 2)
            await asyncio.to_thread(served.engine.entered.wait, BOUND)
            peer[1].close()
            while not served.lines():  # noqa: ASYNC110 - the line is all there is to wait for
                await asyncio.sleep(0.001)
            assert served.engine.aborted
            assert (await answer(await container.connect(ASKED + BODY)))[0] == 200
            assert [line["status"] for line in served.lines()] == [499, 200]
            assert len(served.engine.works) == 2

    run(story())


def test_who_asks_whether_to_continue_is_told_so_where_the_body_is_wanted() -> None:
    """The body is asked for, the request answered, and the connection stays."""

    async def story() -> None:
        async with listening(limits()) as container:
            peer = await container.connect(EXPECTING)
            assert (await head_of(peer)).startswith(b"http/1.1 100 ")
            peer[1].write(BODY + PING)
            assert (await answer(peer))[0] == 200
            assert await answer(peer) == (200, {})

    run(story())


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (EXPECTING, b"503"),
        (EXPECTING.replace(b"/invocations", b"/ping"), b"405"),
        (EXPECTING.replace(b"/invocations", b"/"), b"404"),
        (EXPECTING.replace(b"POST /invocations", b"GET /ping"), b"200"),
    ],
    ids=["no place", "wrong method", "no route", "a route that reads no body"],
)
def test_who_asks_whether_to_continue_is_not_kept_where_the_body_is_not_wanted(head: bytes, status: bytes) -> None:
    """Nobody is told to continue for nothing; since the body may come or not, the connection ends."""

    async def story() -> None:
        served = Served()
        async with listening(limits(), served) as container:
            with served.admission.place():
                peer = await container.connect(head)
                said = await head_of(peer)
                assert (said.split()[1], b"connection: close" in said) == (status, True)
                await ended(peer)

    run(story())


@pytest.mark.parametrize(
    ("request_line", "status", "allow"),
    [
        (b"HEAD /ping", b"200", None),
        (b"HEAD /openapi.json", b"200", None),
        (b"HEAD /invocations", b"405", b"post"),
        (b"OPTIONS /invocations", b"405", b"post"),
        (b"OPTIONS /ping", b"405", b"get, head"),
        (b"OPTIONS *", b"404", None),
        (b"TRACE /ping", b"405", b"get, head"),
    ],
)
def test_other_methods_are_answered_as_http_wants_it(request_line: bytes, status: bytes, allow: bytes | None) -> None:
    """HEAD gets the headers alone, other methods the ones that are allowed; the connection is of use afterwards."""

    async def story() -> None:
        async with listening(limits()) as container:
            peer = await container.connect(PING.replace(b"GET /ping", request_line))
            said = await head_of(peer)
            fields = dict(line.split(b": ", 1) for line in said.split(b"\r\n")[1:-2])
            assert (said.split()[1], fields.get(b"allow")) == (status, allow)
            if not request_line.startswith(b"HEAD"):
                await peer[0].readexactly(int(fields[b"content-length"]))
            peer[1].write(PING)
            assert await answer(peer) == (200, {})

    run(story())
