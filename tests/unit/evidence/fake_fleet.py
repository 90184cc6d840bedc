"""A fleet that grows at times that a test wrote down."""

from collections.abc import Callable
from dataclasses import dataclass

from evidence.autoscaling import Fleet, Metric
from tests.unit.evidence.fake_endpoint import Clock


@dataclass
class FakeFleet:
    """One instance; more are asked for at one time and are in service at another."""

    clock: Clock
    metric: Metric = "concurrent_requests_per_model"
    value: float = 3.0
    desired_at: float = 1e9
    current_at: float = 1e9
    unseen: Callable[[float], bool] = lambda _now: False

    def fleet(self) -> Fleet | None:
        """The fleet at the clock's time."""
        now = self.clock()
        if self.unseen(now):
            return None
        return Fleet(current=1 + (now >= self.current_at), desired=1 + (now >= self.desired_at))
