"""Temperatures of scorers whose truth is known, and of samples that say nothing of one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence.calibration.figures import figures
from evidence.calibration.sample import Scored, scored
from evidence.calibration.temperature import GREATEST, LEAST, cross_validated, fit
from tests.unit.evidence.synthetic import Scorer, answered


def _sample(scorer: Scorer, tasks: int, seed: int) -> list[Scored]:
    return [scored(answer) for answer in scorer.answers(tasks, seed)]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_temperature_comes_out_at_the_truth(temperature: float) -> None:
    """Of 400 answers, the fitted temperature is within a fifth of the true one, whatever the seed."""
    for seed in range(8):
        found = cross_validated(_sample(Scorer(temperature), 400, seed))
        assert abs(math.log(found.value / temperature)) < math.log(1.25)
        assert found.tasks == 400


def test_temperature_mends_an_over_confident_scorer_out_of_fold() -> None:
    """All three figures fall, and what is left of the ECE is what true probabilities show."""
    for seed in range(5):
        found = cross_validated(_sample(Scorer(4.0), 400, seed))
        before, after = found.before, found.after
        assert before is not None
        assert after is not None
        assert after.log_loss.high < before.log_loss.low
        assert after.brier.value < before.brier.value
        assert after.ece.high < before.ece.low
        assert before.ece.value > before.ece_noise[1]
        assert len(found.folds) == 5


def test_temperature_of_a_useless_scorer_makes_it_say_so() -> None:
    """Where scores know nothing, the calibrated probabilities are nearly equal."""
    for seed in range(5):
        found = cross_validated(_sample(Scorer(2.0, informative=False), 300, seed))
        assert found.value > 6
        assert max(each.confidence(found.value) for each in _sample(Scorer(2.0, informative=False), 50, 9)) < 0.65


@pytest.mark.parametrize(
    ("gold", "logits", "value", "note"),
    [
        ("a", (2.0, 1.0, 0.0), 1.0, "no option is above a right one"),
        ("c", (2.0, 1.0, 0.0), GREATEST, "the upper bound"),
        ("a", (1.0, 1.0, 1.0), 1.0, "no option is above a right one"),
        ("b", (1.0, 1.0, 1.0), 1.0, "no option is above a right one"),
    ],
)
def test_temperature_of_a_degenerate_sample_is_bounded_and_says_why(
    gold: str, logits: tuple[float, ...], value: float, note: str
) -> None:
    """All right, all wrong, or all equal: the value is one that harms nobody, and the note names the cause."""
    found = cross_validated([scored(answered(f"t{number}", logits, gold)) for number in range(40)])
    assert found.value == value
    assert note in found.note


def test_temperature_of_separable_scores_stays_one() -> None:
    """Ties that go wrong and clear answers that are right would be sharpened without end."""
    clear = [scored(answered(f"t{number}", (5.0, 0.0), "a")) for number in range(30)]
    ties = [scored(answered(f"u{number}", (0.0, 0.0), "b")) for number in range(10)]
    found = cross_validated([*clear, *ties])
    assert found.value == 1
    assert "no option is above a right one" in found.note


def test_temperature_of_a_fold_knows_nothing_of_its_tasks() -> None:
    """Each fold's is fitted on the other four, so that no two of them are the same sample."""
    found = cross_validated(_sample(Scorer(3.0), 60, 1))
    assert len(set(found.folds)) == 5


def test_temperature_that_does_not_help_out_of_fold_is_not_taken() -> None:
    """Of a scorer that is right as often as it says some small samples fit another, and show no gain by it."""
    found = [cross_validated(_sample(Scorer(), 30, seed)) for seed in range(12)]
    kept = [each for each in found if "out of fold the log loss is no lower" in each.note]
    assert kept
    assert {each.value for each in kept} == {1.0}
    for each in found:
        assert each.before is not None
        assert each.after is not None
        assert (each.value == 1) == (each.after.log_loss.value >= each.before.log_loss.value)


@pytest.mark.parametrize("tasks", [0, 1, 19])
def test_temperature_of_few_tasks_is_one(tasks: int) -> None:
    """Below 20 tasks nothing is fitted, and that is said."""
    found = cross_validated(_sample(Scorer(3.0), tasks, 1))
    assert (found.value, found.after) == (1.0, None)
    assert f"{tasks} tasks" in found.note


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.floats(-60, 60), min_size=2, max_size=5), st.integers(0, 1)), min_size=20, max_size=40
    )
)
def test_temperature_of_anything_is_within_the_bounds(rows: list[tuple[list[float], int]]) -> None:
    """No sample gives a temperature outside the bounds, or a figure that is not finite."""
    sample = [scored(answered(f"t{number}", row, "ab"[gold])) for number, (row, gold) in enumerate(rows)]
    found = cross_validated(sample)
    assert LEAST <= found.value <= GREATEST
    assert math.isfinite(figures(sample, found.value).log_loss.value)


def test_temperature_that_changes_nothing_is_one() -> None:
    """Equal logits have the same loss at every temperature, so none is chosen by the search's last step."""
    assert fit(np.zeros((30, 3)), np.arange(30) % 3) == 1.0
