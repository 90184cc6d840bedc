"""Whether a policy still holds: on new labels, on another runtime, with another wording."""

import pytest

from decision_client.policy import DecisionPolicy
from evidence.calibration.calibrate import calibrate
from evidence.calibration.check import Verdict, check
from evidence.calibration.errors import CalibrationError
from evidence.calibration.labelled import of_results
from evidence.calibration.plan import Plan
from evidence.calibration.policy_file import policy
from evidence.calibration.sample import scored
from evidence.records import Answered
from tests.unit.decision_client import samples
from tests.unit.evidence.new_labels import new_labels, renamed
from tests.unit.evidence.synthetic import Scorer, answered, definition, failed, identity, results

PLAN = Plan(target_risk=0.1, confidence=0.9, review_risk=0.3, min_margin=0.0)
SCORER = Scorer(3.0)
ANSWERS = SCORER.answers(1200, seed=1)


def _policy() -> DecisionPolicy:
    made = calibrate(of_results(results(ANSWERS)), PLAN)
    return policy(made, made.groups[0], "2026-01-02")


POLICY = _policy()


def test_policy_holds_on_what_it_was_made_from() -> None:
    """The same sequence on the same certifying answers reaches the same thresholds; fitting ones are left out."""
    found = check(POLICY, of_results(results(ANSWERS)))
    assert [each.name for each in found.thresholds] == ["act", "review"]
    assert found.holds
    assert found.differences == ()
    assert (found.answers + found.left_out, found.left_out > 300) == (1200, True)
    (group,) = calibrate(of_results(results(ANSWERS)), PLAN).groups
    assert group.act.threshold is not None
    assert found.thresholds[0].tested == group.act.sequence.at(group.act.threshold)


def test_policy_holds_on_new_labels_of_the_same_scorer() -> None:
    """New tasks are all used if they are known to be new, and each threshold is tested alone."""
    found = check(POLICY, new_labels(renamed(SCORER.answers(1200, seed=2), "new")), unseen=True)
    assert (found.answers, found.left_out) == (1200, 0)
    assert [each.stopped for each in found.thresholds] == [(), ()]
    assert found.thresholds[1].verdict is Verdict.HOLDS


def test_policy_breaks_on_a_scorer_that_has_become_over_confident() -> None:
    """At the policy's temperature the answers of a worse model are too often wrong, and that is shown."""
    worse = Scorer(9.0, spread=0.7).answers(1200, seed=3)
    found = check(POLICY, new_labels(renamed(worse, "new")), unseen=True)
    assert not found.holds
    assert found.thresholds[0].verdict is Verdict.BROKEN
    assert found.figures.ece.value > found.figures.ece_noise[1]


def test_few_labels_show_nothing() -> None:
    """Twenty right answers neither hold nor break a threshold, and the least that would is named."""
    few = [answered(f"new{number}", (90.0, 0.0, 0.0)) for number in range(20)]
    found = check(POLICY, new_labels(few), unseen=True)
    assert not found.holds
    act = found.thresholds[0]
    assert (act.verdict, act.least, act.tested[0].wrong) == (Verdict.NOT_SHOWN, 29, 0)


def test_sequence_that_stops_before_the_threshold_does_not_hold() -> None:
    """On tasks whose labels the policy may have seen, the more conservative thresholds have to be shown first."""
    first = POLICY.evidence["act"]["tested"][0]["threshold"]
    act = POLICY.thresholds.act
    assert act is not None
    assert first > act
    above = [each for each in ANSWERS if max(each.probabilities) < 1 and _confidence(each) >= first]
    wrong = {each.task for each in above[: len(above) // 3]}
    lines = [
        each.model_copy(update={"gold": "abc"["abc".index(each.choice) - 1]} if each.task in wrong else {})
        for each in ANSWERS
    ]
    found = check(POLICY, of_results(results(lines))).thresholds[0]
    assert found.verdict is not Verdict.HOLDS
    assert [each.threshold for each in found.stopped] == [first]


def _confidence(answer: Answered) -> float:
    return scored(answer).confidence(POLICY.temperature)


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"gguf": {**samples.IDENTITY["gguf"], "sha256": "9" * 64}}, "binding.gguf_sha256"),
        ({"image_digest": "sha256:" + "8" * 64}, "binding.image_digest"),
        ({"device": "L40S", "backend": "cuda"}, "runtime"),
    ],
)
def test_change_of_model_image_or_device_is_named_and_tested(changed: dict[str, object], field: str) -> None:
    """The client would not act; whether the evidence supports the thresholds there is another question."""
    there = identity(**changed)
    lines = [each.model_copy(update={"identity": there.sha256}) for each in ANSWERS]
    found = check(POLICY, of_results(results(lines, there)))
    assert [each.field for each in found.differences] == [field]
    assert found.holds


def test_change_of_wording_is_named() -> None:
    """Another digest and version under the same name: both are said."""
    other = definition().model_copy(update={"version": "2", "question": "Which is it?"}).reference
    lines = [each.model_copy(update={"definition": other}) for each in ANSWERS]
    found = check(POLICY, of_results(results(lines)))
    assert [each.field for each in found.differences] == ["definition.version", "definition.sha256"]


def test_check_refuses_evidence_of_nothing() -> None:
    """No label of the definition, two wordings of it, tasks that were all seen, or a policy without a threshold."""
    other = definition(name="other").reference
    with pytest.raises(CalibrationError, match="no answers of synthetic"):
        check(POLICY, of_results(results([answered("t1", definition=other)])))
    changed = definition().model_copy(update={"version": "2"}).reference
    with pytest.raises(CalibrationError, match="2 wordings"):
        check(POLICY, of_results(results([answered("t1"), answered("t2", definition=changed)])))
    seen = next(each for each in ANSWERS if not PLAN.certifies(each.task))
    with pytest.raises(CalibrationError, match="--unseen"):
        check(POLICY, of_results(results([seen, failed("f1")])))
    bare = samples.policy(act=None, review=0.4)
    with pytest.raises(CalibrationError, match="no threshold"):
        check(bare, of_results(results(ANSWERS[:1])), unseen=True)
    with pytest.raises(CalibrationError, match=r"--unseen: the policy was made from tasks\.jsonl"):
        check(POLICY, of_results(results(ANSWERS)), unseen=True)
    with pytest.raises(CalibrationError, match="which tasks it has seen"):
        check(samples.policy(), of_results(results(ANSWERS[:1])))
