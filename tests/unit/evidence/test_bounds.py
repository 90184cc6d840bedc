"""Exact bounds on a share, and the labels that they need."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from evidence.calibration.bounds import interval, labels_needed, lower_bound, upper_bound


@pytest.mark.parametrize(
    ("risk", "confidence", "wrong", "needed"),
    [(0.1, 0.95, 0, 29), (0.05, 0.95, 0, 59), (0.01, 0.95, 0, 299), (0.1, 0.95, 1, 46), (0.5, 0.5, 0, 1)],
)
def test_labels_needed_are_the_known_numbers(risk: float, confidence: float, wrong: int, needed: int) -> None:
    """29 answers without an error, or 46 with one, show a risk of at most 10 % at 95 %."""
    assert labels_needed(risk, confidence, wrong) == needed


@given(risk=st.floats(0.01, 0.9), confidence=st.floats(0.5, 0.99), wrong=st.integers(0, 4))
def test_labels_needed_are_the_least_that_pass(risk: float, confidence: float, wrong: int) -> None:
    """One label fewer does not pass."""
    needed = labels_needed(risk, confidence, wrong)
    assert upper_bound(wrong, needed, confidence) <= risk * (1 + 1e-9)
    assert needed == wrong + 1 or upper_bound(wrong, needed - 1, confidence) > risk


@given(data=st.data(), covered=st.integers(1, 300), confidence=st.floats(0.5, 0.99))
def test_upper_bound_is_the_risk_at_which_so_few_errors_are_just_too_rare(
    data: st.DataObject, covered: int, confidence: float
) -> None:
    """At the bound, so few errors or fewer have the probability 1 - confidence."""
    wrong = data.draw(st.integers(0, covered - 1))
    bound = upper_bound(wrong, covered, confidence)
    assert binom.cdf(wrong, covered, bound) == pytest.approx(1 - confidence, rel=1e-6)
    assert lower_bound(wrong, covered, confidence) <= wrong / covered <= bound


def test_bounds_say_nothing_without_answers() -> None:
    """No answer leaves every risk possible, and so do answers that are all wrong, upwards."""
    assert (lower_bound(0, 0, 0.95), upper_bound(0, 0, 0.95), upper_bound(5, 5, 0.95)) == (0.0, 1.0, 1.0)
    assert interval(0, 0) == (0.0, 1.0)
