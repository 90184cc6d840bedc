"""How long autoscaling takes: from the moment at which a run is too much for the fleet to new capacity."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from evidence.load import Load
from evidence.records import ScaleOut

Metric = Literal["concurrent_requests_per_model", "invocations_per_instance"]
"""The words of an environment's settings: requests outstanding, or those of a minute, for each instance."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """Instances in service, and those that are asked for."""

    current: int
    desired: int


class ScalingTarget(Protocol):
    """What is scaled, and on what."""

    @property
    def metric(self) -> Metric:
        """What is measured."""
        ...

    @property
    def value(self) -> float:
        """What each instance is meant to have of it."""
        ...

    def fleet(self) -> Fleet | None:
        """Return the fleet as it is now; None where it cannot be seen at the moment."""
        ...


class ScaleOutWatch:
    """Looks from time to time, and keeps when each thing was first seen: exact to one interval, and never too early.

    The load is what this run alone asks; other callers of the endpoint, and what CloudWatch makes of both, are unseen.
    """

    def __init__(self, phase: str, target: ScalingTarget, load: Load, clock: Callable[[], float]) -> None:
        """Sees nothing yet; `clock` gives seconds since the run's start."""
        self._phase = phase
        self._target = target
        self._clock = clock
        concurrent = target.metric == "concurrent_requests_per_model"
        self._load = load.outstanding if concurrent else load.begun_in_a_minute
        self._instances = 0
        self._breached: float | None = None
        self._desired: float | None = None
        self._capacity: float | None = None

    def look(self) -> None:
        """Look once."""
        load, fleet = self._load(), self._target.fleet()
        if fleet is None:
            return
        now = self._clock()
        if self._breached is None:
            self._instances = fleet.current
            if fleet.current and load / fleet.current > self._target.value:
                self._breached = now
            return
        if self._desired is None and fleet.desired > self._instances:
            self._desired = now
        if self._capacity is None and fleet.current > self._instances:
            self._capacity = now

    @property
    def seen(self) -> ScaleOut:
        """What was seen so far."""
        return ScaleOut(
            phase=self._phase,
            target=self._target.value,
            instances=self._instances,
            breached_seconds=self._breached,
            desired_seconds=self._desired,
            capacity_seconds=self._capacity,
        )
