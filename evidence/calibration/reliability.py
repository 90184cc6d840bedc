"""The reliability diagram: what share is right among answers of about equal probability, and the distance from it.

Bins are ten of equal width over the chosen option's probability, the last closed on both sides. They are the same for
every run, so that two diagrams compare. ECE is the mean distance of a bin's share from its mean probability, weighted
by its answers. It is never 0 in a finite sample: `noise` says what a perfectly calibrated scorer would show.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evidence.calibration.bounds import interval

BINS = 10
SIMULATIONS = 1000

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin that has answers: its edges, their number, mean probability and share right with its exact interval."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float
    accuracy_interval: tuple[float, float]


def reliability(confidence: Sequence[float], correct: Sequence[bool], bins: int = BINS) -> tuple[Bin, ...]:
    """Return the bins that have answers, lowest first; intervals hold with 95 % for each bin alone."""
    scores, right = np.asarray(confidence, dtype=float), np.asarray(correct, dtype=float)
    places = _places(scores, bins)
    found = []
    for place in np.unique(places):
        inside = places == place
        count, hits = int(inside.sum()), int(right[inside].sum())
        low, high = float(place / bins), float((place + 1) / bins)
        found.append(Bin(low, high, count, float(scores[inside].mean()), hits / count, interval(hits, count)))
    return tuple(found)


def expected_calibration_error(
    confidence: Sequence[float] | Floats, correct: Sequence[bool] | NDArray[np.bool_]
) -> float:
    """Return the ECE of at least one answer."""
    scores, right = np.asarray(confidence, dtype=float), np.asarray(correct, dtype=float)
    gaps = np.bincount(_places(scores, BINS), weights=right - scores, minlength=BINS)
    return float(np.abs(gaps).sum() / len(scores))


def noise(confidence: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """Return mean and 95th percentile of the ECE of scorers whose probabilities are exactly these, and true."""
    scores = np.asarray(confidence, dtype=float)
    random = np.random.default_rng(seed)
    drawn = [expected_calibration_error(scores, random.random(len(scores)) < scores) for _ in range(SIMULATIONS)]
    return float(np.mean(drawn)), float(np.quantile(drawn, 0.95))


def _places(scores: Floats, bins: int) -> NDArray[np.intp]:
    return np.minimum((scores * bins).astype(np.intp), bins - 1)
