"""How an endpoint's number of instances follows its load."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from config.rules import broken
from config.values import PositiveInt, Table

CooldownSeconds = Annotated[int, Field(ge=0, le=3600)]


class Scaling(Table):
    """Target tracking: instances are added while the metric, per instance, is above its target; cooldowns in seconds.

    Concurrent requests are those inside the container, waiting ones included, measured every ten seconds; invocations
    are those of one minute.
    """

    metric: Literal["concurrent_requests_per_model", "invocations_per_instance"]
    target_value: Annotated[float, Field(gt=0, le=1_000_000)]
    min_instance_count: Annotated[int, Field(ge=0)]
    max_instance_count: PositiveInt
    scale_in_cooldown_seconds: CooldownSeconds
    scale_out_cooldown_seconds: CooldownSeconds

    @model_validator(mode="after")
    def _scales_between_one_and_more(self) -> Self:
        if not self.min_instance_count:
            raise broken("min_instance_count", "must be at least 1: an endpoint without an instance answers nobody")
        if self.max_instance_count <= self.min_instance_count:
            rule = (
                f"must be more than min_instance_count, {self.min_instance_count}; leave the table out to scale never"
            )
            raise broken("max_instance_count", rule)
        return self
