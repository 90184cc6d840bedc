"""Pure: a median and how sure it is, from few measurements."""

import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.9
_RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Interval:
    """A median of `samples` values with the bounds of its 90 % bootstrap interval, all in the values' unit."""

    median: float
    low: float
    high: float
    samples: int


def bootstrap(values: Sequence[float]) -> Interval:
    """Estimates how far the median of other such samples would lie: percentile bootstrap, always with the same seed.

    Raises:
        ValueError: There are no values.
    """
    if not values:
        raise ValueError("an interval needs at least one value")
    numbers = random.Random(len(values))  # noqa: S311 - resampling, not a secret
    medians = sorted(statistics.median(numbers.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    tail = round(_RESAMPLES * (1 - CONFIDENCE) / 2)
    return Interval(statistics.median(values), medians[tail], medians[-1 - tail], len(values))


def ratios(ours: Sequence[float], others: Sequence[float]) -> Interval:
    """The interval of the ratio, from pairs that were measured next to each other.

    Raises:
        ValueError: The sequences differ in length, or are empty.
    """
    return bootstrap([mine / other for mine, other in zip(ours, others, strict=True)])


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` (0 to 1) of the values do not exceed.

    Raises:
        ValueError: There are no values.
    """
    if not values:
        raise ValueError("a percentile needs at least one value")
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]
