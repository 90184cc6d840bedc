"""What a threshold lets through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.report.selective import MOST_POINTS, THRESHOLDS, curve, levels

ANSWERS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=40)


@given(ANSWERS, st.integers(0, 10))
def test_levels_count_the_answers_from_a_threshold_on(answers: list[tuple[float, bool]], missing: int) -> None:
    """Coverage is of all tasks and falls with the threshold; no risk is above its bound."""
    total = len(answers) + missing
    found = levels([score for score, _ in answers], [right for _, right in answers], total)

    assert [level.threshold for level in found] == list(THRESHOLDS)
    assert found[0].covered == len(answers)
    assert [level.covered for level in found] == sorted((level.covered for level in found), reverse=True)
    assert all((level.risk or 0) <= level.bound for level in found)
    assert all(level.coverage * total == pytest.approx(level.covered) for level in found)


def test_a_threshold_that_nothing_reaches_has_no_risk() -> None:
    """Only the bound of complete ignorance."""
    found = levels([0.4], [True], 1)[-1]

    assert (found.risk, found.bound) == (None, 1.0)


def test_the_bound_is_the_exact_one() -> None:
    """29 right answers and no wrong one bound the risk by 10 % with 95 % confidence; 28 do not."""
    assert levels([0.995] * 29, [True] * 29, 29)[-1].bound <= 0.1 < levels([0.995] * 28, [True] * 28, 28)[-1].bound


def test_a_long_curve_is_drawn_with_few_points_and_its_last() -> None:
    """All answers together are always one."""
    scores = [number / 5000 for number in range(5000)]

    drawn = curve(scores, [number % 3 > 0 for number in range(5000)], 5000)

    assert len(drawn.points) == len(drawn.intervals) <= 2 * MOST_POINTS
    assert drawn.points[-1].coverage == 1
    assert all(low <= point.risk <= high for point, (low, high) in zip(drawn.points, drawn.intervals, strict=True))


def test_no_answer_that_could_be_acted_upon_has_no_curve() -> None:
    """A run that only abstains."""
    assert curve([], [], 3).points == ()
