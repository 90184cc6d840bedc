"""Exact binomial bounds on a risk, and the labels that they need."""

from scipy.stats import beta, binom, binomtest


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


def shown(wrong: int, covered: int, risk: float, confidence: float) -> bool:
    """Say whether so few errors show a risk of at most `risk`: the upper bound is at most `risk`."""
    return bool(binom.cdf(wrong, covered, risk) <= 1 - confidence)


def labels_needed(risk: float, confidence: float, wrong: int = 0) -> int:
    """Return the least number of covered answers that show `risk` though `wrong` of them are.

    Without an error it is the least n with (1 - risk)^n <= 1 - confidence: 29 for 10 % at 95 %.
    """
    # More answers with the same errors show more, so halving finds the least.
    low, high = wrong, wrong + 1
    while not shown(wrong, high, risk, confidence):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shown(wrong, middle, risk, confidence) else (middle, high)
    return high
