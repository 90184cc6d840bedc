"""A caller who goes away, in each phase of a request: the place is free again, and nobody is told of an answer."""

import asyncio
import json
import threading
from collections.abc import MutableMapping
from typing import Any

import pytest

from semif.decision import DecisionRequest
from tests.contract.application import Served, decision

LONG = {"decision": decision(state="x" * 9000)}


async def call(served: Served, messages: list[dict[str, Any]], left: asyncio.Event, length: int) -> int:
    """Sends messages of a request whose caller goes away after the last, when `left` is set. Gives the status."""
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % length)]
    scope = {"type": "http", "method": "POST", "path": "/invocations", "headers": headers, "query_string": b""}
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop(0)
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await served.app(scope, receive, send)
    return statuses[0]


def free_again(served: Served) -> bool:
    """Whether place, turn and reader are free: the next request is answered."""
    return served.post({"decision": decision()}).status_code == 200 and served.admission._readers == 256


@pytest.mark.parametrize("pieces", [0, 1, 3])
def test_a_caller_who_leaves_within_the_body_is_dropped(pieces: int) -> None:
    """Nothing of an incomplete body is looked at."""
    served = Served()
    left = asyncio.Event()
    left.set()
    messages = [{"type": "http.request", "body": b"{" * 10, "more_body": True} for _ in range(pieces)]

    assert asyncio.run(call(served, messages, left, 100)) == 499
    assert served.engine.works == []
    assert served.lines()[0]["code"] == "client_went_away"
    assert free_again(served)


@pytest.mark.parametrize("phase", ["parse", "prepare"])
def test_a_caller_who_leaves_while_a_long_body_is_checked_is_dropped(
    monkeypatch: pytest.MonkeyPatch, phase: str
) -> None:
    """While another thread parses or counts, the caller is heard; what it finds is thrown away."""
    served = Served(max_tokens=20_000, max_request_tokens=20_000)
    owner = served.invocations if phase == "parse" else served.invocations.service
    real, begun, gone = getattr(owner, phase), threading.Event(), threading.Event()

    def held(asked: Any) -> DecisionRequest:
        begun.set()
        gone.wait(30)
        return real(asked)  # type: ignore[no-any-return]

    async def story() -> int:
        left = asyncio.Event()
        body = json.dumps(LONG).encode()
        messages = [{"type": "http.request", "body": body, "more_body": False}]
        running = asyncio.create_task(call(served, messages, left, len(body)))
        await asyncio.to_thread(begun.wait, 30)
        left.set()
        status = await running
        gone.set()
        return status

    with monkeypatch.context() as patched:
        patched.setattr(owner, phase, held)
        assert asyncio.run(story()) == 499
    assert served.engine.works == []
    assert free_again(served)


def test_a_caller_who_leaves_before_anything_was_sent_is_not_logged_twice() -> None:
    """One request is one line, however it ends."""
    served = Served()
    left = asyncio.Event()
    left.set()

    asyncio.run(call(served, [], left, 100))

    assert [line["status"] for line in served.lines()] == [499]


def test_an_answer_that_finds_nobody_is_still_counted() -> None:
    """The decision was made: its line and metrics say so, although sending it failed."""
    served = Served()
    body = json.dumps({"decision": decision()}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    scope = {"type": "http", "method": "POST", "path": "/invocations", "headers": headers, "query_string": b""}

    async def receive() -> dict[str, Any]:
        if not served.engine.works:
            return {"type": "http.request", "body": body, "more_body": False}
        await asyncio.sleep(30)
        return {"type": "http.disconnect"}

    async def send(_: MutableMapping[str, Any]) -> None:
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        asyncio.run(served.app(scope, receive, send))

    assert [(line["status"], line["Decisions"]) for line in served.lines()] == [(200, 1)]
    assert free_again(served)


@pytest.mark.parametrize("leaves", [False, True])
def test_nothing_of_a_request_is_left_behind(*, leaves: bool) -> None:
    """Neither a task that waits for the caller, nor a cancellation, nor a way to end what has ended."""
    served = Served()

    async def story() -> tuple[int, int, int]:
        left = asyncio.Event()
        if leaves:
            served.engine.gate.clear()
            asyncio.get_running_loop().call_later(0.05, left.set)
        await served.call({"decision": decision()}, left)
        await asyncio.sleep(0)
        task = asyncio.current_task()
        return len(served.invocations._inside), len(asyncio.all_tasks()), task.cancelling() if task else 0

    assert asyncio.run(story()) == (0, 1, 0)


def test_a_server_that_gives_up_wins_over_a_caller_who_leaves() -> None:
    """A task that is cancelled from outside ends as cancelled, whatever else happened in the same moment."""
    served = Served()
    served.engine.gate.clear()

    async def story() -> bool:
        running = asyncio.create_task(served.call({"decision": decision()}, asyncio.Event()))
        await asyncio.to_thread(served.engine.entered.wait, 30)
        served.invocations.expire()
        running.cancel()
        await asyncio.wait([running])
        return running.cancelled()

    assert asyncio.run(story())
    assert served.engine.aborted
    assert free_again(served)
