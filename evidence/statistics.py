"""The two kinds of figures that a run has: shares with an interval, and seconds with percentiles."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.stats import binomtest

CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class Share:
    """A number out of a total, and Wilson's 95 % interval for the share behind it; 0 to 1 without any."""

    count: int
    total: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The share itself; 0 without any."""
        return self.count / self.total if self.total else 0.0


def share(marks: Iterable[bool]) -> Share:
    """Count marks."""
    listed = list(marks)
    count, total = sum(listed), len(listed)
    if not total:
        return Share(0, 0, 0.0, 1.0)
    found = binomtest(count, total).proportion_ci(CONFIDENCE, method="wilson")
    return Share(count, total, float(found.low), float(found.high))


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Values that were seen: each is the smallest that at least so many per cent do not exceed."""

    count: int
    p50: float
    p95: float
    p99: float
    greatest: float


def percentiles(values: Sequence[float]) -> Percentiles | None:
    """Return the percentiles of at least one value."""
    if not values:
        return None
    found = np.quantile(np.asarray(values, dtype=np.float64), [0.5, 0.95, 0.99, 1.0], method="inverted_cdf")
    return Percentiles(len(values), *(float(each) for each in found))
