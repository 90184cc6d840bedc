"""The risk-coverage curve."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.calibration.risk_coverage import risk_coverage


@given(st.lists(st.tuples(st.sampled_from([0.2, 0.4, 0.9]), st.booleans()), min_size=1, max_size=40))
def test_curve_counts_what_each_threshold_lets_through(pairs: list[tuple[float, bool]]) -> None:
    """Each point holds the answers at or above its threshold, equal ones together."""
    points = risk_coverage(*zip(*pairs, strict=True))
    for point in points:
        marks = [right for score, right in pairs if score >= point.threshold]
        assert (point.covered, point.wrong) == (len(marks), marks.count(False))
    assert [point.threshold for point in points] == sorted({score for score, _ in pairs}, reverse=True)
    assert points[-1].coverage == pytest.approx(1)


def test_curve_counts_tasks_without_an_answer_as_not_covered() -> None:
    """Of four tasks of which two can be acted upon, at most half are covered."""
    points = risk_coverage([0.9, 0.8], [True, False], total=4)
    assert [(point.coverage, point.risk) for point in points] == [(0.25, 0.0), (0.5, 0.5)]


def test_curve_of_nothing_has_no_point() -> None:
    """Without an answer there is no risk to show."""
    assert risk_coverage([], []) == ()
