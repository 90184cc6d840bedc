"""How far one request has come within its deadline: what is counted, and whether it is sent again."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from decision_client.errors import (
    DeadlineExceededError,
    DecisionError,
    EndpointBusyError,
    ModelFailureError,
    NoAnswerError,
    NotConnectedError,
)
from decision_client.retries import RetryRules

_SERVER_ERROR: Final = 500
Clock = Callable[[], float]
"""Seconds that only go forward."""


@dataclass(slots=True)
class Course:
    """One request from its first attempt to its end.

    Attributes:
        retries: When and how often it is sent again.
        clock: Seconds that only go forward.
        deadline_seconds: For everything, waits included.
        attempts: How often it was sent.
        refusals: How many of these were refused for lack of capacity.
        waited_seconds: Time between attempts.
    """

    retries: RetryRules
    clock: Clock
    deadline_seconds: float
    attempts: int = 0
    refusals: int = 0
    waited_seconds: float = 0.0
    _failures: int = 0
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.clock()

    @property
    def seconds(self) -> float:
        """Since it began."""
        return self.clock() - self._began

    @property
    def left(self) -> float:
        """Seconds until the deadline; another number each time, so whoever compares it uses what was compared."""
        return self.deadline_seconds - self.seconds

    def wait_after(self, error: DecisionError, chance: float) -> float | None:
        """Count an attempt's failure and return the wait before the next; None if there is none."""
        busy = isinstance(error, EndpointBusyError)
        self.refusals += busy
        self._failures += not busy
        if not busy and not (_may_pass(error) and self._failures <= self.retries.failures):
            return None
        wait = self.retries.wait(error.retry_after_seconds, tries=self.attempts, chance=chance)
        return wait if wait < self.left else None

    def ended_by(self, error: DecisionError | None) -> DecisionError:
        """Return what is raised: the last attempt's failure, or that the deadline is what ended it."""
        ended = error
        silent = isinstance(error, NoAnswerError | NotConnectedError) and self.left <= 0
        if ended is None or silent:
            ended = DeadlineExceededError(f"there was no answer within {self.deadline_seconds:g} s")
        never_sent = error is not None and error.attempts == 0  # the transport itself refused the last one
        ended.attempts = self.attempts - never_sent
        ended.refusals, ended.waited_seconds = self.refusals, self.waited_seconds
        return ended


def _may_pass(error: DecisionError) -> bool:
    """Whether a failure may be gone the next time: a server error, a connection; not an answer that is none."""
    if isinstance(error, NoAnswerError | NotConnectedError):
        return True
    return isinstance(error, ModelFailureError) and (error.status or 0) >= _SERVER_ERROR
