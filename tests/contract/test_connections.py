"""What a connection may cost, over real sockets: idle, slow, with a body nobody reads, and too many."""

import asyncio
import json
from pathlib import Path

import pytest

from semif.connection_limits import ConnectionLimits
from semif.server import BODY_BYTES_PER_SECOND, BODY_SECONDS
from tests.contract.application import Served, decision
from tests.contract.listening import BOUND, PING, POST, SHORT, answer, drip, ended, limits, listening, run

RUNBOOK = Path(__file__).parents[2] / "docs" / "operations.md"


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
