"""The thresholds of the tasks that one policy can be about."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from decision_client.definition import DefinitionReference, QuestionType
from decision_client.identity import Runtime
from evidence.calibration.cases import Cases, cases
from evidence.calibration.figures import Figures, figures
from evidence.calibration.labelled import Labelled
from evidence.calibration.plan import Plan
from evidence.calibration.rules import Rule
from evidence.calibration.sample import Missed, Scored
from evidence.calibration.sequence import FixedSequence, fixed_sequence, grid
from evidence.calibration.shortfall import Shortfall, shortfall


@dataclass(frozen=True, slots=True)
class Certified:
    """One threshold: the sequence it came from, what is used of it, and why that is nothing or not its end.

    `tasks` are those of the certifying side, once for each runtime that answered them, and those without an answer.
    """

    sequence: FixedSequence
    threshold: float | None
    shortfall: Shortfall | None
    tasks: int
    note: str = ""

    @property
    def covered(self) -> int:
        """How many of the tasks the threshold lets through; none without one."""
        return 0 if self.threshold is None else sum(each.covered for each in self.sequence.at(self.threshold))

    @property
    def coverage(self) -> float:
        """The share of the tasks that the threshold lets through."""
        return self.covered / self.tasks if self.tasks else 0.0


@dataclass(frozen=True, slots=True)
class Group:
    """The tasks of one definition, or of one type where they word themselves and no policy can name them.

    Of `tasks`, `failed` got no answer and `abstained` chose the abstain option, so that no threshold covers them.
    `fitting` and `certifying` count the answers of each side, each task once; of the second, `little_mass` have less
    than the plan's least mass, and `unseen` are the figures.
    """

    definition: DefinitionReference | None
    type: QuestionType
    tasks: int
    failed: int
    abstained: int
    fitting: int
    certifying: int
    little_mass: int
    runtimes: tuple[Runtime, ...]
    unseen: Figures | None
    act: Certified
    review: Certified | None

    @property
    def has_policy(self) -> bool:
        """Whether there is a definition to bind a policy to, and a threshold to put into it."""
        thresholds = (self.act.threshold, self.review.threshold if self.review else None)
        return self.definition is not None and any(each is not None for each in thresholds)


def group(lines: Sequence[Scored | Missed], labelled: Labelled, temperature: float, plan: Plan) -> Group:
    """Certify what the answers of one group support.

    Args:
        lines: One line for each task.
        labelled: Where they are from.
        temperature: Of the group's type.
        plan: What was decided beforehand.
    """
    answers = [line for line in lines if isinstance(line, Scored)]
    tasks = {each.task for each in answers}
    mine = {where: [each for each in found if each.task in tasks] for where, found in labelled.runtimes.items()}
    mine = {where: found for where, found in mine.items() if found}
    fitting, certifying = (
        cases({where: _side(found, plan, certify=side) for where, found in mine.items()}, temperature)
        for side in (False, True)
    )
    unseen = _side(answers, plan, certify=True)
    missed = sum(isinstance(line, Missed) and plan.certifies(line.task) for line in lines)
    asked = missed + sum(map(len, certifying.values()))
    act = _certified(plan.act, fitting, certifying, plan, asked)
    review = None if plan.review is None else _certified(plan.review, fitting, certifying, plan, asked)
    if review is not None:
        act, review = in_order(act, review)
    return Group(
        definition=lines[0].definition,
        type=lines[0].type,
        tasks=len(lines),
        failed=len(lines) - len(answers),
        abstained=sum(each.abstains for each in answers),
        fitting=len(answers) - len(unseen),
        certifying=len(unseen),
        little_mass=sum(each.mass < plan.min_mass for each in unseen),
        runtimes=tuple(mine),
        unseen=figures(unseen, temperature) if unseen else None,
        act=act,
        review=review,
    )


def _side(answers: Sequence[Scored], plan: Plan, *, certify: bool) -> list[Scored]:
    return [each for each in answers if plan.certifies(each.task) == certify]


def _certified(rule: Rule, fitting: Cases, certifying: Cases, plan: Plan, asked: int) -> Certified:
    sequence = fixed_sequence(rule, certifying, grid(rule, fitting, certifying))
    missing = shortfall(sequence, {where: len(found) for where, found in certifying.items()}, plan.certify_share)
    return Certified(sequence, sequence.certified, missing, asked)


def in_order(act: Certified, review: Certified) -> tuple[Certified, Certified]:
    """Bring both thresholds into the order that a policy needs, using only what is shown of each."""
    if act.threshold is None or review.threshold is None or review.threshold <= act.threshold:
        return act, review
    # Everything shown holds at once, so a higher act threshold may be taken whatever the evidence made it look like.
    higher = [threshold for threshold in act.sequence.shown if threshold >= review.threshold]
    if higher:
        note = f"raised from {act.threshold:g} to the review threshold"
        return replace(act, threshold=min(higher), note=note), review
    note = f"{review.threshold:g} is shown, which is above the act threshold: left out"
    return act, replace(review, threshold=None, note=note)
