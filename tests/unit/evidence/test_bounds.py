"""Exact bounds on a share, and the labels that they need."""

import re
from pathlib import Path

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
    assert needed == wrong + 1 or upper_bound(wrong, needed - 1, confidence) > risk * (1 - 1e-9)


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


@given(data=st.data(), total=st.integers(1, 300), confidence=st.floats(0.5, 0.99))
def test_interval_is_both_bounds_at_half_the_error_probability(
    data: st.DataObject, total: int, confidence: float
) -> None:
    """Clopper and Pearson's: as few right, or as many, have half of it at each end."""
    right = data.draw(st.integers(0, total))
    low, high = interval(right, total, confidence)
    half = 1 - (1 - confidence) / 2
    assert low == pytest.approx(lower_bound(right, total, half), abs=1e-9)
    assert high == pytest.approx(upper_bound(right, total, half), abs=1e-9)


def test_labels_of_the_guide_are_the_least_by_their_own_formula() -> None:
    """(1 - R)^n is at most 5 % from n on, and with one of them wrong (1 - R)^n + n R (1 - R)^(n - 1) is."""
    guide = (Path(__file__).resolve().parents[3] / "docs" / "evidence.md").read_text(encoding="utf-8")
    rows = {name: [cell.strip() for cell in line.split("|")[2:-1]] for name, line in _table(guide).items()}
    for place, said in enumerate(rows["target risk"]):
        risk = int(said.removesuffix(" %")) / 100
        right, one_wrong = (int(rows[name][place]) for name in ("covered answers", "with one of them wrong"))
        assert (1 - risk) ** right <= 0.05 < (1 - risk) ** (right - 1)
        assert _at_most_one(one_wrong, risk) <= 0.05 < _at_most_one(one_wrong - 1, risk)
        assert [labels_needed(risk, 0.95, wrong) for wrong in (0, 1)] == [right, one_wrong]


def _table(guide: str) -> dict[str, str]:
    lines = guide.partition("| target risk |")
    table = [lines[1] + line if not number else line for number, line in enumerate(lines[2].split("\n")[:4])]
    return {re.split(r"[|,]", line)[1].strip(): line for line in table}


def _at_most_one(answers: int, risk: float) -> float:
    return float((1 - risk) ** answers + answers * risk * (1 - risk) ** (answers - 1))
