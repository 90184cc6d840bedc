"""Medians, their intervals, ratios and percentiles."""

import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.interval import bootstrap, percentile, ratios

SECONDS = st.floats(min_value=1e-6, max_value=1e6)


@settings(max_examples=25)
@given(st.lists(SECONDS, min_size=1, max_size=12))
def test_interval_encloses_the_median_and_stays_within_the_values(values: list[float]) -> None:
    """The median lies between the bounds, and the bounds between the least and the largest value."""
    interval = bootstrap(values)

    assert min(values) <= interval.low <= interval.median <= interval.high <= max(values)
    assert statistics.median(values) == interval.median
    assert len(values) == interval.samples


def test_interval_of_equal_values_is_that_value() -> None:
    """Measurements that do not vary leave no doubt."""
    interval = bootstrap([2.5] * 7)

    assert (interval.low, interval.median, interval.high) == (2.5, 2.5, 2.5)


def test_interval_is_narrower_with_more_of_the_same_values() -> None:
    """More measurements make a median surer."""
    few, many = bootstrap([1.0, 2.0, 3.0, 4.0, 5.0]), bootstrap([1.0, 2.0, 3.0, 4.0, 5.0] * 20)

    assert many.high - many.low < few.high - few.low


def test_interval_is_the_same_each_time() -> None:
    """The resampling is seeded, so a table can be computed again from its measurements."""
    assert bootstrap([3.0, 1.0, 2.0]) == bootstrap([3.0, 1.0, 2.0])


def test_ratios_pair_what_was_measured_side_by_side() -> None:
    """A machine that is slower for both in one round does not move the ratio."""
    interval = ratios([1.1, 11.0, 2.2], [1.0, 10.0, 2.0])

    assert pytest.approx(1.1) == interval.low
    assert pytest.approx(1.1) == interval.high


def test_ratios_of_different_lengths_are_refused() -> None:
    """A measurement without its partner is an error."""
    with pytest.raises(ValueError, match="zip"):
        ratios([1.0], [1.0, 2.0])


def test_interval_of_nothing_is_refused() -> None:
    """Without a measurement there is no figure."""
    with pytest.raises(ValueError, match="at least one value"):
        bootstrap([])
    with pytest.raises(ValueError, match="at least one value"):
        percentile([], 0.5)


@given(st.lists(SECONDS, min_size=1, max_size=200), st.floats(min_value=0, max_value=1))
def test_percentile_is_the_smallest_value_that_enough_values_do_not_exceed(values: list[float], share: float) -> None:
    """It is one of the values; at least the share lies at or below it, and less than the share strictly below."""
    found = percentile(values, share)

    assert found in values
    assert sum(value <= found for value in values) >= share * len(values)
    assert share == 0 or sum(value < found for value in values) < share * len(values)
