"""The synthetic scorers have the truth that they claim."""

from pathlib import Path

import pytest

from decision_client.scores import calibrated
from evidence.results import read_results
from tests.unit.evidence.synthetic import Scorer, answered, failed, results, write


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_a_scorer_is_right_as_often_as_its_logits_say_at_its_temperature(temperature: float) -> None:
    """The mean calibrated probability of its choices is its accuracy, within three standard errors."""
    answers = Scorer(temperature=temperature).answers(4000, seed=1)

    said = sum(max(calibrated(each.option_logits, temperature)) for each in answers) / len(answers)
    right = sum(each.correct for each in answers) / len(answers)
    assert said == pytest.approx(right, abs=3 * 0.5 / len(answers) ** 0.5)


def test_a_useless_scorer_is_right_by_chance() -> None:
    """One in four, whatever its logits say."""
    answers = Scorer(informative=False, options=4).answers(4000, seed=2)

    assert sum(each.correct for each in answers) / len(answers) == pytest.approx(0.25, abs=0.03)


def test_rotations_move_options_and_gold_stays() -> None:
    """Without a position prior each option keeps its logit at every place."""
    first, second, third = Scorer().answers(1, seed=3, rotations=3)

    assert second.option_ids == (*first.option_ids[1:], first.option_ids[0])
    assert dict(zip(first.option_ids, first.option_logits, strict=True)) == dict(
        zip(third.option_ids, third.option_logits, strict=True)
    )
    assert {first.gold, second.gold, third.gold} == {first.gold}


def test_results_are_read_back_as_they_were_made(tmp_path: Path) -> None:
    """Header, identity, answers and failures, whatever separators a caller's ids hold."""
    made = results([*Scorer().answers(5, seed=4), answered("a\u2028b\x85c\x1cd\n"), failed("lost")])

    assert read_results(write(made, tmp_path / "results.jsonl")) == made
