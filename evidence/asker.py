"""Who is asked: an endpoint through the client's own retries, or whatever a test puts in its place."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from decision_client.asking import DEADLINE_SECONDS, Attempted, ask
from decision_client.request import Asked
from decision_client.retries import RetryRules
from decision_client.transport import Transport


class Asker(Protocol):
    """Asks one request; used from several threads at once."""

    def ask(self, decisions: Sequence[Asked], /) -> Attempted:
        """Return the answers, in order.

        Raises:
            decision_client.errors.DecisionError: There are none.
        """
        ...


@dataclass(frozen=True, slots=True)
class EndpointAsker:
    """Asks as an application does: the same client, the same retries within one deadline for each request."""

    transport: Transport
    deadline_seconds: float = DEADLINE_SECONDS
    retries: RetryRules = field(default_factory=RetryRules)
    sleep: Callable[[float], None] = time.sleep

    def ask(self, decisions: Sequence[Asked], /) -> Attempted:
        """Ask; see `Asker`."""
        return ask(
            self.transport, decisions, deadline_seconds=self.deadline_seconds, sleep=self.sleep, retries=self.retries
        )
