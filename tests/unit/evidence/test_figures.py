"""Log loss, Brier score and ECE against scikit-learn and against known truth."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from evidence.calibration.figures import figures
from evidence.calibration.reliability import expected_calibration_error
from evidence.calibration.sample import Scored, scored
from tests.unit.evidence.synthetic import Scorer, answered


def _sample(scorer: Scorer, tasks: int, seed: int) -> list[Scored]:
    return [scored(answer) for answer in scorer.answers(tasks, seed)]


def test_figures_agree_with_scikit_learn() -> None:
    """Log loss and Brier score are scikit-learn's, the latter over all options and not halved."""
    answers = Scorer(2.0).answers(120, seed=3)
    found = figures([scored(answer) for answer in answers])
    gold = ["abc".index(answer.gold) for answer in answers]
    probabilities = [answer.probabilities for answer in answers]
    assert found.log_loss.value == pytest.approx(log_loss(gold, probabilities, labels=[0, 1, 2]))
    expected = brier_score_loss(gold, probabilities, labels=[0, 1, 2], scale_by_half=False)
    assert found.brier.value == pytest.approx(expected)
    assert found.accuracy == pytest.approx(np.mean([answer.correct for answer in answers]))


def test_figures_of_questions_with_different_numbers_of_options_are_their_mean() -> None:
    """A task of two options counts as one of five does."""
    two, five = (scored(answered(f"t{size}", (1.0, *(0.0,) * (size - 1)))) for size in (2, 5))
    both, alone = figures([two, five]), [figures([each]) for each in (two, five)]
    assert both.log_loss.value == pytest.approx(np.mean([each.log_loss.value for each in alone]))
    assert both.brier.value == pytest.approx(np.mean([each.brier.value for each in alone]))
    assert alone[0].ece.low == alone[0].ece.value == alone[0].ece.high


@pytest.mark.parametrize(
    "scorer", [Scorer(), Scorer(4.0), Scorer(informative=False)], ids=["perfect", "over-confident", "useless"]
)
def test_intervals_hold_the_known_values(scorer: Scorer) -> None:
    """The figures of 8,000 answers lie within the 95 % intervals of 300 in at least 20 of 25 samples."""
    truth = _sample(scorer, 8_000, seed=12345)
    confidence = [each.confidence() for each in truth]
    ece = expected_calibration_error(confidence, [each.correct for each in truth])
    loss = float(-np.mean([np.log(_gold(each)) for each in truth]))
    inside = {"ece": 0, "loss": 0}
    for seed in range(25):
        found = figures(_sample(scorer, 300, seed))
        inside["ece"] += found.ece.low <= ece <= found.ece.high
        inside["loss"] += found.log_loss.low <= loss <= found.log_loss.high
    assert min(inside.values()) >= 20, inside


def _gold(answer: Scored) -> float:
    weights = np.exp(np.array(answer.option_logits) - max(answer.option_logits))
    return float(weights[answer.gold] / weights.sum())
