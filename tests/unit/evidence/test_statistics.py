"""Shares with Wilson's interval, and percentiles that were seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.statistics import Share, percentiles, share


@pytest.mark.parametrize(
    ("right", "total", "low", "high"),
    [(180, 231, 0.7214, 0.8279), (0, 72, 0.0, 0.0507), (72, 72, 0.9493, 1.0), (1, 2, 0.0945, 0.9055)],
)
def test_wilsons_interval_has_its_known_values(right: int, total: int, low: float, high: float) -> None:
    """Also where nothing or everything is right, where the interval by the normal distribution has no width."""
    found = share([True] * right + [False] * (total - right))

    assert (found.count, found.total, found.value) == (right, total, right / total)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


def test_a_share_of_nothing_is_unknown() -> None:
    """Its interval is everything."""
    assert share([]) == Share(0, 0, 0.0, 1.0)
    assert share([]).value == 0


@given(st.lists(st.booleans(), min_size=1))
def test_a_share_lies_in_its_interval(marks: list[bool]) -> None:
    """And the interval in 0 to 1."""
    found = share(marks)

    assert 0 <= found.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.high <= 1


@given(st.lists(st.floats(0, 1e6), min_size=1))
def test_percentiles_are_values_that_were_seen(values: list[float]) -> None:
    """Nothing between two values is made up, and at least so many do not exceed it."""
    found = percentiles(values)

    assert found
    assert found.greatest == max(values)
    for percent, value in ((50, found.p50), (95, found.p95), (99, found.p99)):
        assert value in values
        assert sum(each <= value for each in values) * 100 >= percent * len(values)


def test_no_values_have_no_percentiles() -> None:
    """A phase without answers has no latency, rather than one of 0."""
    assert percentiles([]) is None
