"""Whether a policy's thresholds hold on other evidence than they were made from: another runtime, or other labels.

Temperature and thresholds are the policy's; nothing is fitted. Tasks that the policy's temperature and grid may have
seen, those of the fitting side of its split, are left out unless all are known to be new. Of the others the policy may
have seen the labels when its threshold was chosen, so that a single test of it would favour it: the thresholds that the
policy's own sequence has tested are tested again in the same order, and it has to be reached.
"""

from dataclasses import dataclass
from enum import StrEnum

from decision_client.definition import DefinitionReference
from decision_client.identity import Runtime
from decision_client.policy import DecisionPolicy
from evidence.calibration.bounds import labels_needed, lower_bound
from evidence.calibration.cases import Cases, cases
from evidence.calibration.differences import Difference, differences
from evidence.calibration.errors import CalibrationError
from evidence.calibration.figures import Figures, figures
from evidence.calibration.labelled import Labelled
from evidence.calibration.made_from import plan_of, refuse_seen, tested_thresholds
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
        untried: Runtimes that the policy covers and of which the evidence has no answer: nothing is said of them.
        said: What has to be said with every figure.
        thresholds: Each threshold that the policy has.
        figures: Of the answers used, at the policy's temperature.
    """

    differences: tuple[Difference, ...]
    answers: int
    left_out: int
    untried: tuple[Runtime, ...]
    said: tuple[str, ...]
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
        CalibrationError: The policy has no threshold, there are no labels of one wording to test it with, or it was
            made from tasks that are said to be unseen.
    """
    plan = plan_of(policy, unseen=unseen)
    if unseen:
        refuse_seen(policy, labelled)
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
        _checked(name, rule, threshold, found, () if unseen else tested_thresholds(policy, name))
        for name, (rule, threshold) in rules.items()
        if rule is not None and threshold is not None
    )
    return Check(
        differences=differences(policy, reference, labelled.binding, found),
        answers=len(used),
        left_out=len(mine) - len(used),
        untried=tuple(where for where in policy.runtimes if where not in found),
        said=labelled.said,
        thresholds=checked,
        figures=figures(used, policy.temperature),
    )


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
