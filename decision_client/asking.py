"""Ask one request until it is answered, refused for good, or its deadline has passed."""

import math
import random as randomness
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from decision_client.answer import Answer
from decision_client.errors import (
    DeadlineExceededError,
    DecisionError,
    EndpointBusyError,
    ModelFailureError,
    NoAnswerError,
    NotConnectedError,
)
from decision_client.refusal import OK, refusal
from decision_client.reply import answers
from decision_client.request import Asked, request_body
from decision_client.retries import RetryRules
from decision_client.transport import Transport

DEADLINE_SECONDS: Final = 70.0
_SERVER_ERROR: Final = 500
Clock = Callable[[], float]
"""Seconds that only go forward."""


@dataclass(frozen=True, slots=True)
class Attempted:
    """The answers in the order asked, and what they took.

    Attributes:
        attempts: How often the request was sent.
        refusals: How many of these were refused for lack of capacity.
        seconds: From the first attempt to the answer, waits included.
        waited_seconds: Of these, the time between attempts.
        timing: The figures of the container's timing of a shared request; None of a single one.
    """

    answers: tuple[Answer, ...]
    attempts: int
    refusals: int
    seconds: float
    waited_seconds: float
    timing: dict[str, float] | None = None


def ask(
    transport: Transport,
    decisions: Sequence[Asked],
    *,
    deadline_seconds: float = DEADLINE_SECONDS,
    clock: Clock = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    random: Clock = randomness.random,
    retries: RetryRules = RetryRules(),  # noqa: B008 - a frozen value
) -> Attempted:
    """Ask one decision, or several about one state in one request.

    Args:
        transport: The way to the endpoint.
        decisions: What is asked; several must have states that are equal as JSON and different ids.
        deadline_seconds: For everything, waits included. No attempt is begun and no wait goes beyond it.
        clock: Seconds that only go forward.
        sleep: Waits for seconds.
        random: A new number from 0 to 1.
        retries: When and how often it is sent again.

    Raises:
        DecisionError: There is no answer; the subclass says why, `attempts` how often it was sent.
    """
    if not 0 < deadline_seconds < math.inf:
        raise ValueError("deadline_seconds: is greater than 0 and finite")
    body = request_body(decisions)
    course = _Course(retries, clock, clock(), deadline_seconds)
    while True:
        course.attempts += 1
        result = _attempt(transport, body, decisions, course.left)
        if not isinstance(result, DecisionError):
            given, timing = result
            return Attempted(given, course.attempts, course.refusals, course.seconds, course.waited_seconds, timing)
        wait = course.wait_after(result, random())
        if wait is None:
            raise course.ended_by(result)
        sleep(wait)
        course.waited_seconds += wait
        if course.left <= 0:  # it slept longer than it was told
            raise course.ended_by(result)


@dataclass(slots=True)
class _Course:
    """How far one request has come."""

    retries: RetryRules
    clock: Clock
    began: float
    deadline_seconds: float
    attempts: int = 0
    refusals: int = 0
    failures: int = 0
    waited_seconds: float = 0.0

    @property
    def seconds(self) -> float:
        return self.clock() - self.began

    @property
    def left(self) -> float:
        return self.deadline_seconds - self.seconds

    def wait_after(self, error: DecisionError, chance: float) -> float | None:
        """Count an attempt's failure and return the wait before the next; None if there is none."""
        busy = isinstance(error, EndpointBusyError)
        self.refusals += busy
        self.failures += not busy
        if not busy and not (_may_pass(error) and self.failures <= self.retries.failures):
            return None
        wait = self.retries.wait(error.retry_after_seconds, tries=self.attempts, chance=chance)
        return wait if wait < self.left else None

    def ended_by(self, error: DecisionError) -> DecisionError:
        """Return what is raised: the last attempt's failure, or that the deadline is what ended it."""
        ended = error
        if isinstance(error, NoAnswerError | NotConnectedError) and self.left <= 0:
            ended = DeadlineExceededError(f"there was no answer within {self.deadline_seconds:g} s")
        never_sent = error.attempts == 0  # the transport itself refused the last one
        ended.attempts = self.attempts - never_sent
        ended.refusals, ended.waited_seconds = self.refusals, self.waited_seconds
        return ended


def _attempt(
    transport: Transport, body: bytes, decisions: Sequence[Asked], seconds: float
) -> tuple[tuple[Answer, ...], dict[str, float] | None] | DecisionError:
    try:
        reply = transport.send(body, seconds)
        if reply.status == OK:
            return answers(reply, decisions)
    except DecisionError as error:
        return error
    return refusal(reply)


def _may_pass(error: DecisionError) -> bool:
    """Whether a failure may be gone the next time: a server error, a connection; not an answer that is none."""
    if isinstance(error, NoAnswerError | NotConnectedError):
        return True
    return isinstance(error, ModelFailureError) and (error.status or 0) >= _SERVER_ERROR
