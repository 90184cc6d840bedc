"""Ask one request until it is answered, refused for good, or its deadline has passed."""

import math
import random as randomness
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from decision_client.answer import Answer
from decision_client.course import Clock, Course
from decision_client.errors import DecisionError
from decision_client.refusal import OK, refusal
from decision_client.reply import answers
from decision_client.request import Asked, request_body
from decision_client.retries import RetryRules
from decision_client.transport import Transport

DEADLINE_SECONDS: Final = 70.0


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
    course = Course(retries, clock, deadline_seconds)
    failed: DecisionError | None = None
    while (seconds := course.left) > 0:  # a sleep may take longer than it was told
        course.attempts += 1
        result = _attempt(transport, body, decisions, seconds)
        if not isinstance(result, DecisionError):
            given, timing = result
            return Attempted(given, course.attempts, course.refusals, course.seconds, course.waited_seconds, timing)
        failed = result
        wait = course.wait_after(failed, random())
        if wait is None:
            break
        sleep(wait)
        course.waited_seconds += wait
    raise course.ended_by(failed)


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
