"""What goes along with an operation: health, the speed that is learned, aborts that come too early."""

import asyncio
import threading
import time
from collections.abc import MutableMapping
from typing import Any

import pytest

from semif import server
from semif.decision import DecisionRequest
from semif.health import OVERDUE_SECONDS
from semif.service import Prepared
from semif.speed import MeasuredSpeed
from tests.contract.application import Served, decision
from tests.contract.test_load import inside


def test_an_operation_past_its_budget_fails_the_ping_until_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """While an operation outlives its deadline the container is unhealthy; when it ended it is healthy again."""
    served = Served()
    served.engine.gate.clear()
    late = served.queue.deadline_seconds + OVERDUE_SECONDS

    async def story() -> list[int]:
        async with served.client() as client:
            running = asyncio.create_task(served.call({"decision": decision()}, asyncio.Event()))
            await inside(served, 1)
            pings = [await client.get("/ping")]
            with monkeypatch.context() as patched:
                patched.setattr(served.health, "_clock", lambda: time.monotonic() + late)
                pings.append(await client.get("/ping"))
                served.engine.gate.set()
                await running
                pings.append(await client.get("/ping"))
            return [ping.status_code for ping in pings]

    assert asyncio.run(story()) == [200, 503, 200]
    assert [line["reason"] for line in served.lines() if line["event"] == "unhealthy"] == ["operation_overdue"]


def test_every_operation_teaches_the_speed() -> None:
    """After an answer the estimate holds its tokens and its time in the model."""
    served, expected = Served(), MeasuredSpeed(1000, 0.001)

    served.post({"decision": decision()})

    expected.observe(served.engine.pending_tokens(served.engine.works[0]), 0.75)
    assert served.speed.seconds(1000) == expected.seconds(1000)


def test_an_operation_aborted_at_its_deadline_teaches_slowness() -> None:
    """A machine that did not make it in time is expected to be slower from then on."""
    served = Served(deadline_seconds=0.05)
    served.engine.gate.clear()
    before = served.speed.seconds(1000)

    served.post({"decision": decision()})

    assert served.speed.seconds(1000) > before


def test_what_was_aborted_on_an_idle_engine_is_not_tried_for_ever() -> None:
    """The first time nobody knew; the second time it is refused for good, since it took all the time there is."""
    served = Served(deadline_seconds=0.05)
    served.speed.observe(10, 1e-5)  # a short one was fast
    served.engine.gate.clear()

    answers = [served.post({"decision": decision()}).json()["code"] for _ in range(2)]

    assert answers == ["deadline_exceeded", "too_slow_here"]
    assert len(served.engine.works) == 1


def test_one_bad_moment_refuses_nobody_for_good() -> None:
    """An operation that was aborted once, after others like it were fast, is tried again."""
    served = Served(deadline_seconds=0.05)
    for _ in range(9):
        served.speed.observe(1000, 0.001)
    served.engine.gate.clear()

    answers = [served.post({"decision": decision()}).json()["code"] for _ in range(2)]

    assert answers == ["deadline_exceeded"] * 2


def test_only_what_is_left_to_read_counts_against_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """A prompt that would be too slow as a whole is answered when its state is resident."""
    served = Served(seconds_per_token=1.0)
    monkeypatch.setattr(served.engine, "pending_tokens", lambda _: 40)

    assert served.post({"decision": decision()}).status_code == 200


def test_an_abort_before_the_operation_starts_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """An operation takes back what was said before it began, so a caller who left then is told of again."""
    served = Served()
    served.engine.gate.clear()
    busy, heard = threading.Event(), threading.Event()
    served.worker.submit(busy.wait, 30)
    abort = served.engine.abort

    def taken_back_before_the_start() -> None:
        heard.set()
        if served.engine.entered.is_set():
            abort()

    monkeypatch.setattr(served.engine, "abort", taken_back_before_the_start)

    async def story() -> int:
        left = asyncio.Event()
        call = asyncio.create_task(served.call({"decision": decision()}, left))
        await asyncio.sleep(0.05)
        left.set()
        await asyncio.to_thread(heard.wait, 30)
        busy.set()
        return await call

    assert asyncio.run(story()) == 499
    assert served.engine.aborted is True


@pytest.mark.parametrize(("size", "thread"), [(1, "MainThread"), (9000, "asyncio_0")])
def test_long_bodies_are_checked_and_counted_beside_the_event_loop(
    monkeypatch: pytest.MonkeyPatch, size: int, thread: str
) -> None:
    """Parsing and tokenising a long body take a thread of their own, so that `/ping` is answered meanwhile."""
    served = Served(max_tokens=20_000, max_request_tokens=20_000)
    prepare, parse, seen = served.invocations.service.prepare, served.invocations.parse, []

    def noted_prepare(request: DecisionRequest) -> Prepared:
        seen.append(threading.current_thread().name)
        return prepare(request)

    def noted_parse(raw: bytes) -> DecisionRequest:
        seen.append(threading.current_thread().name)
        return parse(raw)

    monkeypatch.setattr(served.invocations.service, "prepare", noted_prepare)
    monkeypatch.setattr(served.invocations, "parse", noted_parse)

    assert served.post({"decision": decision(state="x" * size)}).status_code == 200
    assert seen == [thread] * 2


def test_a_body_that_does_not_arrive_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who declares a body and does not send it is refused after a while."""
    monkeypatch.setattr(server, "BODY_SECONDS", 0.02)
    served = Served()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"9")]
    scope = {"type": "http", "method": "POST", "path": "/invocations", "headers": headers, "query_string": b""}
    sent: list[MutableMapping[str, Any]] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def never() -> dict[str, Any]:
        await asyncio.sleep(30)
        return {"type": "http.disconnect"}

    asyncio.run(served.app(scope, never, send))

    assert sent[0]["status"] == 400
    assert served.lines()[0]["code"] == "body_incomplete"
    assert served.post({"decision": decision()}).status_code == 200


def test_a_long_body_has_more_time_than_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time a body has grows with its declared length, at the documented rate."""
    served, given = Served(), []

    async def noted(_: object, *, at_most: int, seconds: float) -> bytes:
        given.append(seconds)
        assert at_most == 262_144
        raise TimeoutError

    monkeypatch.setattr(server, "body_of", noted)
    for size in (1, 65_536, 262_144):
        assert served.post(b" " * size).json()["code"] == "body_incomplete"

    assert given == pytest.approx([2, 3, 6], abs=0.01)
