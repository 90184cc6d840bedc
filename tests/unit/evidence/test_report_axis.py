"""Axes hold their values, and a phone shows their labels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.report.axis import seconds, shares
from evidence.report.histogram import bars

SECONDS = st.lists(st.floats(1e-6, 1e5), min_size=1, max_size=50)


@given(SECONDS)
def test_an_axis_of_seconds_holds_every_value_in_order(values: list[float]) -> None:
    """From a step below the least to one above the greatest, with two to six labels."""
    axis = seconds(values, 8, 332)

    places = [axis(value) for value in sorted(values)]
    assert places == sorted(places)
    assert axis.low <= min(values) * (1 + 1e-9)
    assert max(values) <= axis.high * (1 + 1e-9)
    assert (axis(axis.low), axis(axis.high)) == (8, 332)
    assert 2 <= len(axis.ticks) <= 6


@given(SECONDS)
def test_a_histogram_fills_its_axis_and_has_one_highest_bar(values: list[float]) -> None:
    """Every value is in a bar, the highest of which is 1."""
    axis = seconds(values, 8, 332)

    drawn = bars(values, axis)

    assert max(height for _, _, height in drawn) == 1
    assert all(left >= 8 and left + width <= 332.2 for left, width, _ in drawn)
    lowest = drawn[0]
    assert lowest[0] - 0.11 <= axis(min(values)) <= lowest[0] + lowest[1] + 0.11


@pytest.mark.parametrize(("high", "top", "ticks"), [(1.0, 1.0, 6), (0.1, 0.1, 6), (0.31, 0.4, 5), (0.62, 0.8, 5)])
def test_an_axis_of_shares_ends_on_a_step(high: float, top: float, ticks: int) -> None:
    """Not beyond the next one."""
    axis = shares(0, 100, high)

    assert axis.high == pytest.approx(top)
    assert len(axis.ticks) == ticks


def test_a_value_outside_is_put_on_the_axis() -> None:
    """So that nothing is drawn over labels."""
    assert shares(0, 100, 0.1)(0.9) == 100
