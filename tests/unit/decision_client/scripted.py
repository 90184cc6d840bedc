"""An endpoint that answers as a test wrote down, and a time that passes only when somebody waits."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from decision_client.errors import DecisionError
from decision_client.transport import Reply
from tests.unit.decision_client.samples import answer


@dataclass
class FakeTime:
    """A clock, a sleep that moves it, and what was slept."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        """Return the time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.slept.append(seconds)
        self.now += seconds


@dataclass
class ScriptedTransport:
    """Gives one reply after another, the last one again and again; each takes `seconds`, or less if told so."""

    replies: list[Reply | DecisionError]
    time: FakeTime = field(default_factory=FakeTime)
    seconds: float = 0.0
    bodies: list[bytes] = field(default_factory=list)
    timeouts: list[float] = field(default_factory=list)
    begun: list[float] = field(default_factory=list)

    def send(self, body: bytes, timeout_seconds: float) -> Reply:
        """Return the next reply."""
        self.bodies.append(body)
        self.timeouts.append(timeout_seconds)
        self.begun.append(self.time.now)
        self.time.now += min(self.seconds, timeout_seconds)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, DecisionError):
            raise reply
        return reply


def answered(*ids: str, **changed: Any) -> Reply:
    """The reply to `samples.DEFINITION` asked under these ids, `d1` alone without any; with fields changed."""
    results = [answer(id=each, **changed).model_dump(mode="json") for each in ids or ("d1",)]
    body = {"results": results, "timing": {"batch_size": len(ids)}} if len(ids) > 1 else {"result": results[0]}
    return Reply(200, json.dumps(body).encode())


def refused(status: int, code: str = "busy", **more: Any) -> Reply:
    """A refusal as the container words it."""
    body = {"error": "a sentence", "code": code, "field": None, "retryable": status == 503, **more}
    return Reply(status, json.dumps(body).encode())


def statuses(values: Iterable[int]) -> list[Reply | DecisionError]:
    """Refusals of these statuses, one after another; 200 is an answer."""
    return [answered() if value == 200 else refused(value, code="") for value in values]
