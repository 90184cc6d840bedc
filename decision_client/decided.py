"""What became of a decision."""

from dataclasses import dataclass, field
from datetime import datetime

from decision_client.answer import Answer
from decision_client.errors import DecisionError
from decision_client.outcome import Outcome
from decision_client.policy import DecisionPolicy
from decision_client.request import Asked


@dataclass(frozen=True, slots=True)
class Decision:
    """An answer and what to do with it; `policy` is the one that was applied, None without any for the definition."""

    answer: Answer
    outcome: Outcome
    policy: DecisionPolicy | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of one decision, answered or not: everything that a record of it needs, in memory only.

    Attributes:
        at: When it was asked, in UTC.
        asked: The caller's id, the state, and the definition.
        decision: The answer, its outcome and the policy; None where there is no answer.
        error: Why there is none; None where there is one.
        attempts: How often the request was sent, 0 if it was refused before.
        refusals: How many of these were refused for lack of capacity.
        seconds: From the call to the answer or the failure, waits included.
        waited_seconds: Of these, the time between attempts.
        shared: Decisions of the one request that this was part of.
    """

    at: datetime
    asked: Asked
    decision: Decision | None
    error: DecisionError | None
    attempts: int
    refusals: int
    seconds: float
    waited_seconds: float
    shared: int = 1
