"""How a new fleet takes over from the one in service, and what takes it back."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from config.rules import broken
from config.values import Table

# An alarm needs three minutes of metrics, and some more until they are there: a shorter wait would look at nothing.
SHORTEST_BAKE_SECONDS = 300
Seconds = Annotated[int, Field(ge=0, le=3600)]
BakeSeconds = Annotated[int, Field(ge=SHORTEST_BAKE_SECONDS, le=3600)]


class _Rollback(Table):
    """What every deployment has: its rollback alarms, a minute each, and its time limit; seconds."""

    max_engine_errors: Annotated[int, Field(ge=0)]
    max_p95_model_latency_seconds: Annotated[float, Field(gt=0, le=60)]
    maximum_execution_timeout_seconds: Annotated[int, Field(ge=600, le=28_800)]

    @property
    def waiting_seconds(self) -> int:
        """How long the deployment waits in all, at least."""
        raise NotImplementedError

    @model_validator(mode="after")
    def _timeout_exceeds_the_waits(self) -> Self:
        if self.maximum_execution_timeout_seconds <= self.waiting_seconds:
            rule = f"must be more than the {self.waiting_seconds} s the deployment waits by itself"
            raise broken("maximum_execution_timeout_seconds", rule)
        return self


class AllAtOnce(_Rollback):
    """A whole new fleet beside the old one takes all traffic; the old one stays for a while."""

    strategy: Literal["all_at_once"]
    termination_wait_seconds: BakeSeconds

    @property
    def waiting_seconds(self) -> int:
        """The bake of the new fleet."""
        return self.termination_wait_seconds


class _Batches(_Rollback):
    """A share of the fleet takes traffic, the alarms are watched for an interval, then the next share."""

    wait_interval_seconds: BakeSeconds


class Canary(_Batches):
    """A whole new fleet beside the old one takes a small share of the traffic first, then the rest."""

    strategy: Literal["canary"]
    batch_percent: Annotated[int, Field(ge=1, le=50)]
    termination_wait_seconds: Seconds

    @property
    def waiting_seconds(self) -> int:
        """The bake of the canary and that of the whole."""
        return self.wait_interval_seconds + self.termination_wait_seconds


class Linear(_Batches):
    """A whole new fleet beside the old one takes traffic in equal steps."""

    strategy: Literal["linear"]
    batch_percent: Annotated[int, Field(ge=10, le=50)]
    termination_wait_seconds: Seconds

    @property
    def waiting_seconds(self) -> int:
        """A bake after each step."""
        return -(-100 // self.batch_percent) * self.wait_interval_seconds + self.termination_wait_seconds


class Rolling(_Batches):
    """Batch after batch of the old fleet is replaced, so that never much more than one fleet is paid for."""

    strategy: Literal["rolling"]
    batch_percent: Annotated[int, Field(ge=5, le=50)]

    @property
    def waiting_seconds(self) -> int:
        """A bake after each batch."""
        return -(-100 // self.batch_percent) * self.wait_interval_seconds


Guardrails = Annotated[AllAtOnce | Canary | Linear | Rolling, Field(discriminator="strategy")]


def check_batches(guardrails: Guardrails, smallest_fleet: int) -> None:
    """Refuse batches that a fleet of so many instances cannot be cut into.

    Raises:
        PydanticCustomError: One instance has no half, or a batch would be less than one instance.
    """
    if isinstance(guardrails, AllAtOnce):
        return
    if smallest_fleet < 2:  # noqa: PLR2004 - SageMaker takes at most half of a fleet at once
        raise broken(
            "guardrails.strategy",
            f"{guardrails.strategy} moves at most half of the fleet at once, and one instance has no half: "
            "use all_at_once, or at least 2 instances (initial_instance_count, and scaling.min_instance_count)",
        )
    if guardrails.batch_percent * smallest_fleet < 100:  # noqa: PLR2004 - percent
        least = -(-100 // smallest_fleet)
        rule = f"{guardrails.batch_percent} % of {smallest_fleet} instances is less than one: at least {least}"
        raise broken("guardrails.batch_percent", rule)
