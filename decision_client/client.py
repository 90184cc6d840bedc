"""What an application calls: a decision asked, judged by a policy, and told to whoever keeps records."""

import random as randomness
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from decision_client.answer import Answer
from decision_client.asking import DEADLINE_SECONDS, Attempted, ask
from decision_client.course import Clock
from decision_client.decided import Decided, Decision
from decision_client.definition import DecisionDefinition
from decision_client.errors import DecisionError
from decision_client.outcome import outcome
from decision_client.policy import DecisionPolicy, applicable
from decision_client.request import Asked
from decision_client.retries import RetryRules
from decision_client.transport import Transport


class DecisionClient:
    """Asks one endpoint; may be used from several threads if its transport and `on_decision` may."""

    def __init__(
        self,
        transport: Transport,
        *,
        policies: Iterable[DecisionPolicy] = (),
        deadline_seconds: float = DEADLINE_SECONDS,
        retries: RetryRules = RetryRules(),  # noqa: B008 - a frozen value
        on_decision: Callable[[Decided], None] | None = None,
        clock: Clock = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        random: Clock = randomness.random,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Asks nothing yet.

        Args:
            transport: The way to the endpoint.
            policies: What evidence allows. Of several for one definition the first that covers an answer is applied,
                so those of a model and its successor can be given together.
            deadline_seconds: For each call, attempts and waits together.
            retries: When and how often a request is sent again.
            on_decision: Is told what became of each decision before the caller is. What it raises reaches the caller
                in place of the decision, which is then not acted upon unrecorded.
            clock: Seconds that only go forward.
            sleep: Waits for seconds.
            random: A new number from 0 to 1.
            now: The time in UTC.
        """
        self._transport = transport
        self._policies = tuple(policies)
        self._deadline_seconds = deadline_seconds
        self._retries = retries
        self._on_decision = on_decision or _nobody
        self._clock, self._sleep, self._random, self._now = clock, sleep, random, now

    def decide(self, definition: DecisionDefinition, state: Any, *, decision_id: str) -> Decision:  # noqa: ANN401 - any JSON
        """Ask one decision.

        Args:
            definition: The question and its options.
            state: The evidence as JSON: a string, an object or an array.
            decision_id: The caller's own id, which comes back and is in every record.

        Raises:
            DecisionError: There is no answer; the subclass says why.
        """
        return self.decide_many({decision_id: definition}, state)[decision_id]

    def decide_many(self, definitions: Mapping[str, DecisionDefinition], state: Any) -> dict[str, Decision]:  # noqa: ANN401 - any JSON
        """Ask several decisions about one state in one request, for which the state is read once.

        One request has one fate: all are answered or none is. How many fit, the endpoint says (8, unless it was
        deployed otherwise); more are refused and not split, since a caller who splits knows which belong together.

        Args:
            definitions: The caller's id of each decision, and its question.
            state: The evidence as JSON, common to all.

        Raises:
            InvalidRequestError: There are none, or more than the endpoint takes (code `too_many`).
            DecisionError: There is no answer; the subclass says why.
        """
        asked = [Asked(each, state, definition) for each, definition in definitions.items()]
        at, began = self._now(), self._clock()
        attempted = self._ask(asked)
        told = partial(
            Decided,
            at=at,
            attempts=attempted.attempts,
            refusals=attempted.refusals,
            seconds=self._clock() - began,
            waited_seconds=attempted.waited_seconds,
            shared=len(asked),
        )
        if isinstance(attempted, DecisionError):
            self._tell([told(asked=each, decision=None, error=attempted) for each in asked])
            raise attempted
        decisions = [self._judged(each, answer) for each, answer in zip(asked, attempted.answers, strict=True)]
        judged = zip(asked, decisions, strict=True)
        self._tell([told(asked=each, decision=decision, error=None) for each, decision in judged])
        return {each.id: decision for each, decision in zip(asked, decisions, strict=True)}

    def _ask(self, asked: Sequence[Asked]) -> Attempted | DecisionError:
        try:
            return ask(
                self._transport,
                asked,
                deadline_seconds=self._deadline_seconds,
                clock=self._clock,
                sleep=self._sleep,
                random=self._random,
                retries=self._retries,
            )
        except DecisionError as error:
            return error

    def _tell(self, became: Sequence[Decided]) -> None:
        """Tell of every decision, also where telling of one fails; the first such failure is raised then."""
        failures: list[Exception] = []
        for each in became:
            try:
                self._on_decision(each)
            except Exception as error:  # noqa: BLE001 - whatever it raises, the others are told too
                failures.append(error)
        if failures:
            raise failures[0]

    def _judged(self, asked: Asked, answer: Answer) -> Decision:
        policy = applicable(self._policies, asked.definition.reference, answer.model)
        return Decision(answer, outcome(asked.definition, answer, policy), policy)


def _nobody(_decided: Decided) -> None:
    """Keep no record."""
