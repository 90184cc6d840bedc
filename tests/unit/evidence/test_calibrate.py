"""From results to thresholds: scorers whose truth is known, and mixtures."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from evidence.calibration.calibrate import Calibration, calibrate
from evidence.calibration.errors import CalibrationError
from evidence.calibration.labelled import of_results
from evidence.calibration.plan import Plan
from evidence.calibration.policy_file import policy
from evidence.calibration.sample import scored
from tests.unit.decision_client import samples
from tests.unit.evidence.synthetic import Scorer, answered, definition, failed, identity, results

PLAN = Plan(target_risk=0.1, confidence=0.9, min_margin=0.0)


def _calibration(scorer: Scorer, tasks: int, seed: int, plan: Plan = PLAN) -> Calibration:
    return calibrate(of_results(results(scorer.answers(tasks, seed))), plan)


def _oracle(scorer: Scorer, temperature: float) -> float:
    """The share of answers that could be acted upon at a risk of 10 %, were every probability's truth known."""
    answers = [scored(answer) for answer in scorer.answers(4000, seed=999)]
    ranked = sorted(answers, key=lambda each: -each.confidence(temperature))
    wrong = np.cumsum([not each.correct for each in ranked]) / np.arange(1, len(ranked) + 1)
    return float((np.flatnonzero(wrong <= 0.1).max(initial=-1) + 1) / len(ranked))


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_thresholds_come_close_to_the_largest_coverage_that_the_truth_allows(temperature: float) -> None:
    """With 1,200 labels, coverage is nowhere above the known one by more than noise, and on average near it."""
    scorer = Scorer(temperature, spread=3.0)
    known = _oracle(scorer, temperature)
    found = []
    for seed in range(4):
        (group,) = _calibration(scorer, 1200, seed).groups
        assert group.act.threshold is not None
        (tested,) = group.act.sequence.at(group.act.threshold)
        found.append(tested.covered / group.certifying)
    assert max(found) < known + 0.05
    assert np.mean(found) > known - 0.2


def test_whole_calibration_violates_its_risk_bound_in_at_most_the_stated_share() -> None:
    """With temperature and grid from the same labels, at 90 % at most a tenth of samples certify a false threshold."""
    scorer, rounds = Scorer(3.0, spread=3.0), 30
    truth = [scored(answer) for answer in scorer.answers(4000, seed=999)]
    correct = np.array([each.correct for each in truth])
    violated = certified = 0
    for seed in range(rounds):
        made = _calibration(scorer, 240, seed)
        threshold = made.groups[0].act.threshold
        if threshold is not None:
            confidence = np.array([each.confidence(made.kinds["choice"].temperature.value) for each in truth])
            certified += 1
            violated += bool(1 - correct[confidence >= threshold].mean() > PLAN.target_risk)
    assert certified > rounds / 2
    assert violated <= binom.ppf(0.999, rounds, 1 - PLAN.confidence)


def test_useless_scorer_is_not_acted_upon() -> None:
    """Where scores say nothing there is no threshold, and more labels are not what is missing."""
    for seed in range(6):
        (group,) = _calibration(Scorer(informative=False), 400, seed).groups
        assert group.act.threshold is None
        assert group.act.shortfall is not None
        assert group.act.shortfall.missing is None


@pytest.mark.parametrize(("tasks", "enough"), [(20, False), (400, True)])
def test_too_few_labels_are_counted_instead_of_a_threshold(tasks: int, enough: bool) -> None:  # noqa: FBT001 - a case
    """Of 20 perfect answers some 14 certify; 22 are needed without an error, and the labels that fit come on top."""
    lines = [answered(f"t{number}", (9.0, 0.0, 0.0)) for number in range(tasks)]
    (group,) = calibrate(of_results(results(lines)), PLAN).groups
    assert (group.act.threshold is not None) == enough
    if not enough:
        assert group.act.shortfall is not None
        assert group.act.shortfall.least == 22
        assert group.act.shortfall.missing == math.ceil((22 - group.certifying) / 0.7)
        assert f"{group.act.shortfall.missing} more labels" in group.act.shortfall.sentence


def test_failures_and_abstentions_are_tasks_and_never_covered() -> None:
    """Neither is acted upon: they lower the coverage and leave the risk alone."""
    abstaining = [answered(f"n{number}", (9.0, 0.0, 0.0), "b", abstain_option="a") for number in range(30)]
    lost = [failed(f"f{number}") for number in range(10)]
    sure = [answered(f"t{number}", (9.0, 0.0, 0.0)) for number in range(120)]
    (group,) = calibrate(of_results(results([*abstaining, *lost, *sure])), PLAN).groups
    assert (group.tasks, group.failed, group.abstained) == (160, 10, 30)
    assert group.act.threshold is not None
    (tested,) = group.act.sequence.at(group.act.threshold)
    assert tested.wrong == 0
    assert tested.covered == group.certifying - sum(PLAN.certifies(each.task) for each in abstaining)
    assert group.act.tasks == group.certifying + sum(PLAN.certifies(each.task) for each in lost)
    assert group.act.coverage == tested.covered / group.act.tasks


def test_definition_of_which_nothing_was_answered_is_said_to_have_no_threshold() -> None:
    """Also where no other definition of its type was answered: who asked for it would take silence for consent."""
    lost = [failed(f"f{number}", type="score", definition=definition(name="lost").reference) for number in range(5)]
    made = calibrate(
        of_results(results([*lost, *[answered(f"t{number}", (9.0, 0.0, 0.0)) for number in range(120)]])), PLAN
    )
    (found,) = (group for group in made.groups if group.type == "score")
    assert (found.tasks, found.failed, found.certifying) == (5, 5, 0)
    assert found.act.threshold is None
    assert found.act.shortfall is not None
    assert made.kinds["score"].unseen is None


def test_sequence_begins_where_the_fitting_answers_say() -> None:
    """Whatever the certifying ones score or have right: only their number is looked at before they are tested."""
    lines = [answered(f"t{number}", (3.0, 0.0, 0.0) if number % 3 else (9.0, 0.0, 0.0)) for number in range(400)]
    surer = [
        answered(line.task, (12.0, 0.0, 0.0), "b" if number % 2 else "a") if PLAN.certifies(line.task) else line
        for number, line in enumerate(lines)
    ]
    first = [
        group.act.sequence.tested[0].threshold
        for made in (lines, surer)
        for group in calibrate(of_results(results(made)), PLAN).groups
    ]
    assert first == [0.999, 0.999]
    unsure = [line if PLAN.certifies(line.task) else answered(line.task, (3.0, 0.0, 0.0)) for line in surer]
    (group,) = calibrate(of_results(results(unsure)), PLAN).groups
    assert group.act.sequence.tested[0].threshold == 0.9


def test_error_probability_is_halved_between_two_thresholds() -> None:
    """Both hold together at the stated confidence, so each is tested at a higher one."""
    both = Plan(target_risk=0.1, review_risk=0.3, confidence=0.9)
    (group,) = _calibration(Scorer(), 1500, 1, both).groups
    assert group.review is not None
    assert group.act.sequence.target.confidence == group.review.sequence.target.confidence == pytest.approx(0.95)
    assert group.act.threshold is not None
    assert group.review.threshold is not None
    assert group.review.threshold <= group.act.threshold


@pytest.mark.parametrize("changed", [{"target_risk": 0.0}, {"confidence": 1.0}, {"review_risk": 0.05}, {"min_mass": 2}])
def test_impossible_plan_is_refused(changed: dict[str, Any]) -> None:
    """A risk or a confidence of none or all, and a review risk below the target, mean nothing."""
    with pytest.raises(CalibrationError, match=next(iter(changed))):
        Plan(**{"target_risk": 0.1, **changed})


def test_answers_of_two_models_are_refused() -> None:
    """One policy is for one binding; the sentence says which part differs."""
    other = identity(gguf={**samples.IDENTITY["gguf"], "sha256": "9" * 64})
    lines = [answered("t1"), answered("t2", identity=other.sha256)]
    with pytest.raises(CalibrationError, match="differ in gguf_sha256"):
        of_results(results(lines, identity(), other))


def test_pool_of_two_devices_is_covered_only_where_each_shows_it() -> None:
    """One policy names both runtimes if both have shown its threshold on their own answers."""
    gpu = identity(backend="cuda", device="L40S", layers_offloaded=3)
    lines = [
        answered(f"t{number}", (9.0, 0.0, 0.0), identity=(gpu if number % 2 else identity()).sha256)
        for number in range(300)
    ]
    made = calibrate(of_results(results(lines, identity(), gpu)), PLAN)
    (group,) = made.groups
    assert group.act.threshold is not None
    assert len(group.act.sequence.at(group.act.threshold)) == 2
    assert group.act.coverage == 1
    assert set(policy(made, group, "1").runtimes) == {identity().runtime, gpu.runtime}
    (few,) = calibrate(of_results(results(lines[:160:2] + lines[1:40:2], identity(), gpu)), PLAN).groups
    assert few.act.threshold is None


def test_definitions_share_a_temperature_and_nothing_else() -> None:
    """Two definitions of a type have one temperature and thresholds of their own; inline wordings have no policy."""
    one, two = (definition(3, name=name).reference for name in ("one", "two"))
    lines = [
        each.model_copy(update={"definition": reference, "task": f"{name}-{each.task}"})
        for name, reference, seed in (("1", one, 1), ("2", two, 2), ("3", None, 3))
        for each in Scorer(3.0).answers(100, seed)
    ]
    made = calibrate(of_results(results(lines)), PLAN)
    assert list(made.kinds) == ["choice"]
    assert [group.definition for group in made.groups] == [None, one, two]
    fitting = sum(group.fitting for group in made.groups)
    assert made.kinds["choice"].temperature.tasks == fitting
