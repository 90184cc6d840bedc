"""A fleet that grows at times that a test wrote down."""

from collections.abc import Callable
from dataclasses import dataclass

from evidence.autoscaling import Fleet, Metric
from tests.unit.evidence.fake_endpoint import Clock


@dataclass
class FakeFleet:
    """Some instances; one more is asked for at one time and is in service at another."""

    clock: Clock
    metric: Metric = "concurrent_requests_per_model"
    value: float = 3.0
    desired_at: float = 1e9
    current_at: float = 1e9
    instances: int = 1
    unseen: Callable[[float], bool] = lambda _now: False

    def fleet(self) -> Fleet | None:
        """The fleet at the clock's time."""
        now = self.clock()
        if self.unseen(now):
            return None
        more, wanted = now >= self.current_at, now >= self.desired_at
        return Fleet(current=self.instances + more, desired=self.instances + wanted)
