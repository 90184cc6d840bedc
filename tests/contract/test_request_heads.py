"""Request lines and headers that do not come, do not end, are too long, or are none, over real sockets."""

import asyncio

import pytest

from tests.contract.listening import PING, SHORT, answer, drip, ended, limits, listening, run


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


def test_what_is_no_http_is_refused_as_everything_else_is(caplog: pytest.LogCaptureFixture) -> None:
    """Bytes that are no request get 400 in the container's own form, once, and the connection is closed."""

    async def story() -> None:
        async with listening(limits()) as container:
            peer = await container.connect(b"nonsense\r\n\r\n")
            status, body = await answer(peer)
            assert (status, body["code"], body["retryable"]) == (400, "malformed_http", False)
            peer[1].write(b"nonsense\r\n\r\n")
            assert await ended(peer) == b""
            assert await answer(await container.connect(PING)) == (200, {})  # by now the second one has come, too
            assert [record.name for record in caplog.records] == ["uvicorn.error"]

    run(story())
