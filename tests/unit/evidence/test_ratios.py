"""Ratios of seconds, with intervals that hold what they should."""

import numpy as np
import pytest

from evidence.pairs import Pair
from evidence.ratios import latency_ratios
from tests.unit.evidence.synthetic import answered, failed


def _pairs(factor: float, tasks: int, seed: int) -> list[Pair]:
    random = np.random.default_rng(seed)
    base = random.lognormal(0, 1, tasks)
    noisy = base * factor * random.lognormal(0, 0.2, tasks)
    return [
        Pair(answered(f"t{n}", client_seconds=float(a)), answered(f"t{n}", client_seconds=float(b)))
        for n, (a, b) in enumerate(zip(base, noisy, strict=True))
    ]


def test_intervals_cover_the_true_ratio_about_as_often_as_they_say() -> None:
    """At least 18 of 20 runs of 60 tasks bound a true ratio of 1.5 by an interval that is not trivial."""
    means = [latency_ratios(_pairs(1.5, 60, seed))[0] for seed in range(20)]

    assert sum((each.low or 0) <= 1.5 <= (each.high or 0) for each in means) >= 18
    assert all((each.high or 9) - (each.low or 0) < 0.5 for each in means)


def test_the_same_files_have_the_same_interval() -> None:
    """The resampling is seeded."""
    assert latency_ratios(_pairs(2, 30, 1)) == latency_ratios(_pairs(2, 30, 1))


def test_equal_seconds_have_the_ratio_one_without_width() -> None:
    """A distribution of one value is an interval of one value."""
    mean, *_, forward = latency_ratios([Pair(answered(f"t{n}"), answered(f"t{n}")) for n in range(3)])

    assert (mean.ratio, mean.low, mean.high) == pytest.approx((1, 1, 1))
    assert forward.statistic == "forward pass, geometric mean"


def test_each_statistic_is_what_it_is_called() -> None:
    """One slow task in ten moves the 95th percentile and leaves the median alone."""
    slow = [Pair(answered(f"t{n}"), answered(f"t{n}", client_seconds=2.0 if n == 9 else 0.2)) for n in range(10)]
    found = {each.statistic: each for each in latency_ratios(slow)}

    assert found["client, p50"].ratio == pytest.approx(1)
    assert found["client, p95"].b_seconds == pytest.approx(float(np.percentile([0.2] * 9 + [2.0], 95)))
    assert found["client, geometric mean"].ratio == pytest.approx(10**0.1)


def test_one_task_has_a_ratio_and_no_interval() -> None:
    """There is nothing to resample."""
    found = latency_ratios([Pair(answered("t", client_seconds=1.0), answered("t", client_seconds=3.0))])

    assert found[0].ratio == pytest.approx(3)
    assert (found[0].low, found[0].high) == (None, None)


def test_seconds_of_failures_are_no_latencies() -> None:
    """A refusal may be quick."""
    pairs = [Pair(answered("t"), answered("t")), Pair(answered("u"), failed("u", client_seconds=0.001))]

    assert latency_ratios(pairs)[0].ratio == pytest.approx(1)


def test_seconds_of_zero_have_no_ratio() -> None:
    """A clock that did not move is left out, and the other statistics stay."""
    found = latency_ratios([Pair(answered("t", client_seconds=0.0), answered("t"))])

    assert [each.statistic for each in found] == ["forward pass, geometric mean"]
