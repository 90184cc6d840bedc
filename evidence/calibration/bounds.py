"""Exact binomial bounds on a risk, and the labels that they need."""

import math

from scipy.stats import beta, binomtest


def upper_bound(wrong: int, covered: int, confidence: float) -> float:
    """Return the one-sided exact (Clopper-Pearson) upper bound on the share of wrong answers; 1 without any answer."""
    if covered in (0, wrong):
        return 1.0
    return float(beta.ppf(confidence, wrong + 1, covered - wrong))


def lower_bound(wrong: int, covered: int, confidence: float) -> float:
    """Return the one-sided exact lower bound on the share of wrong answers; 0 without any answer."""
    if covered == 0 or wrong == 0:
        return 0.0
    return float(beta.ppf(1 - confidence, wrong, covered - wrong + 1))


def interval(right: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the two-sided exact interval of a share."""
    if total == 0:
        return 0.0, 1.0
    found = binomtest(right, total).proportion_ci(confidence_level=confidence, method="exact")
    return float(found.low), float(found.high)


def labels_needed(risk: float, confidence: float, wrong: int = 0) -> int:
    """Return the least number of covered answers, `wrong` of them wrong, whose upper bound is at most `risk`.

    Without an error it is the least n with (1 - risk)^n <= 1 - confidence: 29 for 10 % at 95 %.
    """
    if wrong == 0:
        return _least(math.ceil(math.log1p(-confidence) / math.log1p(-risk)) - 1, risk, confidence, wrong)
    return _least(labels_needed(risk, confidence, wrong - 1), risk, confidence, wrong)


def _least(start: int, risk: float, confidence: float, wrong: int) -> int:
    covered = max(start, wrong + 1)
    while upper_bound(wrong, covered, confidence) > risk * (1 + 1e-12):
        covered += 1
    return covered
