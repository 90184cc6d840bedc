"""What a check takes from the policy: its rule, its split, its sequence; and what a hand has changed in them."""

import pytest

from decision_client.policy import DecisionPolicy
from evidence.calibration.calibrate import calibrate
from evidence.calibration.check import Verdict, check
from evidence.calibration.errors import CalibrationError
from evidence.calibration.labelled import of_results
from evidence.calibration.plan import Plan
from evidence.calibration.policy_file import policy
from tests.unit.evidence.new_labels import new_labels, renamed
from tests.unit.evidence.synthetic import Scorer, identity, results

PLAN = Plan(target_risk=0.1, confidence=0.9, review_risk=0.3, certify_share=0.6, seed=3, min_margin=0.0)
ANSWERS = Scorer(3.0).answers(1200, seed=1)


def _policy() -> DecisionPolicy:
    made = calibrate(of_results(results(ANSWERS)), PLAN)
    return policy(made, made.groups[0], "2026-01-02")


POLICY = _policy()


def test_check_leaves_out_the_tasks_of_the_policys_own_split() -> None:
    """By its seed and its share, which its file holds."""
    found = check(POLICY, of_results(results(ANSWERS)))
    assert found.answers == sum(PLAN.certifies(each.task) for each in ANSWERS)
    assert found.answers + found.left_out == len(ANSWERS)
    assert found.holds


def test_check_covers_what_the_policys_rule_lets_through() -> None:
    """Little mass is not acted upon, and a person sees it; a greater margin than any leaves nothing to act upon."""
    faint = new_labels([each.model_copy(update={"allowed_token_mass": 0.1}) for each in ANSWERS])
    act, review = check(POLICY, faint, unseen=True).thresholds
    assert act.tested[0].covered == 0
    assert review.tested[0].covered > 0
    wider = POLICY.thresholds.model_copy(update={"min_margin": 1.0})
    act, _ = check(POLICY.model_copy(update={"thresholds": wider}), new_labels(ANSWERS), unseen=True).thresholds
    assert act.tested[0].covered == 0


def test_check_tests_at_the_confidence_that_calibration_has_spent() -> None:
    """Two thresholds have half of the error probability each; one alone has it all."""
    both = check(POLICY, new_labels(ANSWERS), unseen=True).thresholds
    assert [each.confidence for each in both] == pytest.approx([0.95, 0.95])
    alone = POLICY.thresholds.model_copy(update={"review": None, "review_risk": None})
    (act,) = check(POLICY.model_copy(update={"thresholds": alone}), new_labels(ANSWERS), unseen=True).thresholds
    assert act.confidence == 0.9


@pytest.mark.parametrize(
    "evidence",
    [
        {"tested": []},
        {"tested": [{"threshold": "0.9"}]},
        {"tested": [{"threshold": 0.9}, 0.8]},
        {"tested": {"threshold": 0.9}},
        {},
        "none",
    ],
)
def test_policy_that_does_not_say_what_it_has_tested_is_tested_on_new_labels_alone(evidence: object) -> None:
    """One test on the labels that chose the threshold would favour it, so a file cut short by hand is no way around."""
    cut = POLICY.model_copy(update={"evidence": {**POLICY.evidence, "act": evidence}})
    with pytest.raises(CalibrationError, match=r"evidence\.act\.tested: does not say"):
        check(cut, of_results(results(ANSWERS)))
    assert check(cut, new_labels(renamed(ANSWERS, "new")), unseen=True).thresholds[0].tested


def test_threshold_that_was_lowered_by_hand_is_not_shown() -> None:
    """Neither on the labels that made the policy nor on others: its sequence has stopped before."""
    lower = POLICY.thresholds.model_copy(update={"act": 0.35, "review": 0.1})
    edited = POLICY.model_copy(update={"thresholds": lower})
    for labels, unseen in ((of_results(results(ANSWERS)), False), (new_labels(renamed(ANSWERS, "new")), True)):
        assert check(edited, labels, unseen=unseen).thresholds[0].verdict is not Verdict.HOLDS


def test_runtime_without_an_answer_is_said_to_be_untried() -> None:
    """One that was added by hand, or a pool member that the evidence does not have: what holds is of the others."""
    there = identity(device="L40S", backend="cuda").runtime
    found = check(POLICY.model_copy(update={"runtimes": (*POLICY.runtimes, there)}), of_results(results(ANSWERS)))
    assert found.untried == (there,)
    assert found.differences == ()
    assert check(POLICY, of_results(results(ANSWERS))).untried == ()


def test_runtime_that_was_removed_is_named_as_a_difference() -> None:
    """The client does not act there any more, whatever its answers show."""
    there = identity(device="L40S", backend="cuda").runtime
    found = check(POLICY.model_copy(update={"runtimes": (there,)}), of_results(results(ANSWERS)))
    assert [each.field for each in found.differences] == ["runtime"]
    assert found.untried == (there,)
