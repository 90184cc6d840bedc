"""A stop that was asked for while requests are running, waiting, arriving, and not yet complete."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest

from semif import serving
from semif.serving import server_config
from tests.contract.application import Served, decision
from tests.contract.listening import BOUND, PING, POST, Listening, answer, ended, run

BODY = json.dumps({"decision": decision()}).encode()
ASKED = POST % len(BODY)


class Stoppable(serving._Server):
    """The container's own server without the process's signals: the test calls `stop`."""

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        """Remembers the loop."""
        self._loop = asyncio.get_running_loop()
        yield


@contextlib.asynccontextmanager
async def stoppable(served: Served) -> AsyncIterator[tuple[Listening, Stoppable]]:
    """Serves until it is stopped, which the block must see to."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Stoppable(server_config(lambda: served.app), served.admission, served.invocations)
        running = asyncio.ensure_future(server.serve([listener]))
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event to wait for
            await asyncio.sleep(0.001)
        container = Listening(served, listener.getsockname()[1])
        try:
            yield container, server
            await running
        finally:
            await container.hang_up()
            server.force_exit = True


async def ping_for_ever(container: Listening) -> None:
    """One connection after the other; ends when nobody listens any more."""
    while True:
        await answer(await container.connect(PING))


def test_a_stop_answers_who_is_inside_and_lets_nobody_in() -> None:
    """Who runs and who waits is answered; who asks now is sent away or finds the connection closed."""

    async def story() -> None:
        served = Served(places=3)
        served.engine.gate.clear()
        async with stoppable(served) as (container, server):
            idle, half = await container.connect(PING), await container.connect(PING[:20])
            assert await answer(idle) == (200, {})
            inside = [await container.connect(ASKED + BODY) for _ in range(2)]
            await asyncio.to_thread(served.engine.entered.wait, BOUND)
            while not served.queue._waiting:  # noqa: ASYNC110 - the queue has no event for this
                await asyncio.sleep(0.001)
            server.stop()
            idle[1].write(ASKED + BODY)
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionResetError):
                status, body = await answer(idle)
                assert (status, body["code"], body["retryable"]) == (503, "busy", True)
            assert await ended(half) == b""
            with pytest.raises(ConnectionError):
                await ping_for_ever(container)
            served.engine.gate.set()
            assert [(await answer(peer))[0] for peer in inside] == [200, 200]
            assert [await ended(peer) for peer in inside] == [b"", b""]
        assert not server.failed

    run(story())


def test_a_stop_that_lasts_too_long_aborts_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some time after the stop the running operation is aborted, and its caller is told to come back."""
    monkeypatch.setattr(serving, "EXPIRE_SECONDS", 0.02)

    async def story() -> None:
        served = Served()
        served.engine.gate.clear()
        async with stoppable(served) as (container, server):
            peer = await container.connect(ASKED + BODY)
            await asyncio.to_thread(served.engine.entered.wait, BOUND)
            server.stop()
            status, body = await answer(peer)
            assert (status, body["code"]) == (503, "busy")
            assert served.lines()[0]["reason"] == "stopping"

    run(story())


def test_a_body_that_ends_after_the_stop_is_refused() -> None:
    """Its place is not taken any more, and the model never sees it."""

    async def story() -> None:
        served = Served()
        async with stoppable(served) as (container, server):
            peer = await container.connect(ASKED + BODY[:9])
            while served.admission._readers == 256:  # noqa: ASYNC110 - so many are free while nobody reads
                await asyncio.sleep(0.001)
            server.stop()
            peer[1].write(BODY[9:])
            status, body = await answer(peer)
            assert (status, body["code"]) == (503, "busy")
            assert served.engine.works == []

    run(story())


def test_a_broken_engine_stops_the_server_as_failed() -> None:
    """The process's exit code comes from this."""

    async def story() -> None:
        served = Served()
        async with stoppable(served) as (_, server):
            server.fail()
        assert server.failed

    run(story())
