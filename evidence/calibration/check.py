"""Whether a policy's thresholds hold on other evidence than they were made from: another runtime, or other labels.

Temperature and thresholds are the policy's; nothing is fitted. Tasks that the policy's temperature and grid may have
seen, those of the fitting side of its split, are left out unless all are known to be new. Of the others the policy may
have seen the labels when its threshold was chosen, so that a single test of it would favour it: the thresholds that the
policy's own sequence has tested are tested again in the same order, and it has to be reached.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from decision_client.definition import DefinitionReference
from decision_client.policy import DecisionPolicy
from evidence.calibration.bounds import labels_needed, lower_bound
from evidence.calibration.cases import Cases, cases
from evidence.calibration.differences import Difference, differences
from evidence.calibration.errors import CalibrationError
from evidence.calibration.figures import Figures, figures
from evidence.calibration.labelled import Labelled
from evidence.calibration.plan import Plan
from evidence.calibration.rules import Rule
from evidence.calibration.sample import Scored
from evidence.calibration.sequence import Trial, fixed_sequence, try_threshold


class Verdict(StrEnum):
    """What the evidence says of a threshold."""

    HOLDS = "holds"
    BROKEN = "broken"
    """The risk is shown to be above the target."""
    NOT_SHOWN = "not shown"
    """Neither; more labels may decide it."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One threshold of the policy, on each runtime of the evidence.

    `stopped` are the tests of the more conservative threshold at which the sequence ended, if it did not get this far;
    `least` is the number of answers, all right, that show the risk at the least.
    """

    name: str
    threshold: float
    risk: float
    confidence: float
    verdict: Verdict
    tested: tuple[Trial, ...]
    stopped: tuple[Trial, ...]
    least: int


@dataclass(frozen=True, slots=True)
class Check:
    """What evidence says of a policy.

    Attributes:
        differences: Why the client would not act on these answers; empty if the policy covers them.
        answers: How many labels were used.
        left_out: How many were not, because the policy may have seen them.
        thresholds: Each threshold that the policy has.
        figures: Of the answers used, at the policy's temperature.
    """

    differences: tuple[Difference, ...]
    answers: int
    left_out: int
    thresholds: tuple[Checked, ...]
    figures: Figures

    @property
    def holds(self) -> bool:
        """Whether every threshold is shown to hold."""
        return all(each.verdict is Verdict.HOLDS for each in self.thresholds)


def check(policy: DecisionPolicy, labelled: Labelled, *, unseen: bool = False) -> Check:
    """Test a policy's thresholds on labelled decisions of its definition's name.

    Args:
        policy: The policy.
        labelled: The evidence.
        unseen: Whether none of its tasks was in the evidence that made the policy.

    Raises:
        CalibrationError: The policy has no threshold, or there are no labels of one wording to test it with.
    """
    plan = _plan(policy, unseen=unseen)
    reference, mine = _of_definition(policy, labelled)
    used = [each for each in mine if unseen or plan.certifies(each.task)]
    if not used:
        raise CalibrationError(f"all {len(mine)} labels are of tasks that the policy may have seen: --unseen if not")
    tasks = {each.task for each in used}
    runtimes = {where: [each for each in found if each.task in tasks] for where, found in labelled.runtimes.items()}
    found = cases({where: answers for where, answers in runtimes.items() if answers}, policy.temperature)
    thresholds = policy.thresholds
    rules: dict[str, tuple[Rule | None, float | None]] = {
        "act": (plan.act, thresholds.act),
        "review": (plan.review, thresholds.review),
    }
    checked = tuple(
        _checked(name, rule, threshold, found, () if unseen else _grid(policy, name))
        for name, (rule, threshold) in rules.items()
        if rule is not None and threshold is not None
    )
    return Check(
        differences=differences(policy, reference, labelled.binding, found),
        answers=len(used),
        left_out=len(mine) - len(used),
        thresholds=checked,
        figures=figures(used, policy.temperature),
    )


def _plan(policy: DecisionPolicy, *, unseen: bool) -> Plan:
    thresholds, split = policy.thresholds, _read(policy.evidence.get("split"))
    seed, share = split.get("seed"), split.get("certify_share")
    if not unseen and not (isinstance(seed, int) and isinstance(share, float)):
        raise CalibrationError("the policy does not say which tasks it has seen: --unseen if it was none of these")
    reviewed = thresholds.review is not None and thresholds.review_risk is not None
    if thresholds.act is None and not reviewed:
        raise CalibrationError("the policy has no threshold with a risk to check")
    return Plan(
        target_risk=thresholds.target_risk,
        review_risk=thresholds.review_risk if reviewed else None,
        confidence=thresholds.confidence,
        certify_share=share if isinstance(share, float) else 0.7,
        seed=seed if isinstance(seed, int) else 0,
        min_mass=thresholds.min_mass,
        min_margin=thresholds.min_margin,
    )


def _read(table: object) -> dict[str, Any]:
    return table if isinstance(table, dict) else {}


def _grid(policy: DecisionPolicy, name: str) -> tuple[float, ...]:
    """Return the thresholds before the policy's that its own sequence has tested, in order."""
    tested = _read(policy.evidence.get(name)).get("tested", [])
    found = [each["threshold"] for each in tested if isinstance(each, dict) and "threshold" in each]
    return tuple(dict.fromkeys(found))


def _of_definition(policy: DecisionPolicy, labelled: Labelled) -> tuple[DefinitionReference, list[Scored]]:
    name = policy.definition.name
    mine = [each for each in labelled.answers if each.definition and each.definition.name == name]
    references = {each.definition for each in mine if each.definition}
    if len(references) != 1:
        what = "no answers" if not references else f"answers to {len(references)} wordings"
        raise CalibrationError(f"the evidence holds {what} of {name}, and the policy is for one")
    return references.pop(), mine


def _checked(name: str, rule: Rule, threshold: float, found: Cases, grid: tuple[float, ...]) -> Checked:
    before = tuple(each for each in grid if each > threshold)
    sequence = fixed_sequence(rule, found, (*before, threshold))
    last, target = sequence.tested[-1].threshold, rule.target
    tested = try_threshold(rule, found, threshold)
    broken = any(lower_bound(each.wrong, each.covered, target.confidence) > target.risk for each in tested)
    verdict = Verdict.HOLDS if threshold in sequence.shown else Verdict.BROKEN if broken else Verdict.NOT_SHOWN
    stopped = () if last == threshold else sequence.at(last)
    least = labels_needed(target.risk, target.confidence)
    return Checked(name, threshold, target.risk, target.confidence, verdict, tested, stopped, least)
