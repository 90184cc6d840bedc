"""The reliability diagram and the expected calibration error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from evidence.calibration.reliability import expected_calibration_error, noise, reliability
from evidence.calibration.sample import scored
from tests.unit.evidence.synthetic import Scorer

ANSWERS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


@given(ANSWERS)
def test_reliability_bins_hold_every_answer_once(pairs: list[tuple[float, bool]]) -> None:
    """The bins' numbers add up, and each bin's mean probability lies within its edges."""
    confidence, correct = zip(*pairs, strict=True)
    bins = reliability(confidence, correct)
    assert sum(each.count for each in bins) == len(pairs)
    for each in bins:
        assert each.low - 1e-9 <= each.confidence <= each.high + 1e-9
        assert each.accuracy_interval[0] <= each.accuracy <= each.accuracy_interval[1]


@given(ANSWERS)
def test_ece_is_the_weighted_distance_of_the_bins(pairs: list[tuple[float, bool]]) -> None:
    """The figure is the one that the diagram shows."""
    confidence, correct = zip(*pairs, strict=True)
    weighted = sum(each.count * abs(each.accuracy - each.confidence) for each in reliability(confidence, correct))
    assert expected_calibration_error(confidence, correct) == pytest.approx(weighted / len(pairs))


def test_reliability_agrees_with_scikit_learn() -> None:
    """The shares and mean probabilities are those of scikit-learn's curve of equal width."""
    answers = [scored(answer) for answer in Scorer().answers(300, seed=1)]
    confidence = [answer.confidence() for answer in answers]
    correct = [answer.correct for answer in answers]
    shares, means = calibration_curve(correct, confidence, n_bins=10, strategy="uniform")
    bins = reliability(confidence, correct)
    assert [each.accuracy for each in bins] == pytest.approx(list(shares))
    assert [each.confidence for each in bins] == pytest.approx(list(means))


def test_ece_of_known_answers_is_the_known_value() -> None:
    """Of ten answers at 0.95 of which five are right, the distance is 0.45; those at 1.0 are in the last bin."""
    assert expected_calibration_error([0.95] * 10, [True] * 5 + [False] * 5) == pytest.approx(0.45)
    assert [each.count for each in reliability([1.0, 0.9], [True, True])] == [2]


def test_noise_is_that_of_each_answers_own_probability() -> None:
    """A hundred answers of which each is nearly certain, one way or the other, leave little to chance."""
    _, limit = noise([0.02] * 50 + [0.98] * 50)
    assert limit < 0.1


def test_noise_covers_the_ece_of_a_perfect_scorer() -> None:
    """In about 95 of 100 samples of a perfectly calibrated scorer the ECE is below the noise's 95th percentile."""
    inside = 0
    for seed in range(40):
        answers = [scored(answer) for answer in Scorer().answers(150, seed)]
        confidence = [answer.confidence() for answer in answers]
        mean, limit = noise(confidence, seed)
        assert 0 < mean < limit
        inside += expected_calibration_error(confidence, [answer.correct for answer in answers]) <= limit
    assert inside >= 34
