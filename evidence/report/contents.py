"""What a page says of a run, identity by identity."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from decision_client.definition import DefinitionReference, QuestionType
from evidence.calibration.order import OrderSensitivity, order_by_type
from evidence.calibration.reliability import Bin, expected_calibration_error, noise, reliability
from evidence.difference import fields
from evidence.figures import Figures
from evidence.pairs import once
from evidence.records import Answered
from evidence.report.selective import Curve, Level, curve, levels
from evidence.results import Results
from evidence.statistics import Share
from evidence.summary import Summary

WRONG_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Speed:
    """One phase's figures, and the client's seconds of its answers."""

    phase: str
    figures: Figures
    seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Scores:
    """What the chosen options' probabilities came to; `noise`: a perfect scorer's calibration error, mean and 95 %."""

    count: int
    bins: tuple[Bin, ...]
    error: float
    noise: tuple[float, float]
    curve: Curve
    levels: tuple[Level, ...]
    abstained: int


@dataclass(frozen=True, slots=True)
class Section:
    """One identity. Shares and scores are of its first phase, each task once; speeds are of all its phases.

    Families, types and task files have the lowest share first; `orders` has the types that were asked in several orders
    of their options; `wrong` are the wrong answers of the highest probability; `guessing` is the share that any option,
    whichever, would have had right on average.
    """

    digest: str
    name: str
    record: dict[str, Any]
    phase: str
    figures: Figures
    guessing: float
    families: tuple[tuple[str, Share], ...]
    types: tuple[tuple[str, Share], ...]
    files: tuple[tuple[str, Share], ...]
    scores: Scores | None
    orders: dict[QuestionType, OrderSensitivity]
    speeds: tuple[Speed, ...]
    wrong: tuple[tuple[Answered, float], ...]
    wrong_count: int


def sections(results: Results, summary: Summary) -> tuple[Section, ...]:
    """Return a section for each identity that answered, in the order of their first answers."""
    digests = dict.fromkeys(each.identity for phase in summary.phases for each in phase.figures if each.identity)
    return tuple(_section(results, summary, digest) for digest in digests)


def definitions(results: Results) -> dict[DefinitionReference, int]:
    """Return the definitions of a run, and how many tasks each has; tasks that word themselves have none."""
    of = {line.task: line.definition for line in (*results.answers, *results.failures)}
    return Counter(definition for definition in of.values() if definition)


def _section(results: Results, summary: Summary, digest: str) -> Section:
    of = [(phase.name, each) for phase in summary.phases for each in phase.figures if each.identity == digest]
    phase, figures = of[0]
    lines = once(results, phase).values()
    answers = [line for line in lines if isinstance(line, Answered) and line.identity == digest]
    wrong = sorted(((each, chosen(each)) for each in answers if not each.correct), key=lambda pair: -pair[1])
    record = summary.identities[digest]
    return Section(
        digest=digest,
        name=f"{record.name} on {record.device or record.backend}",
        record=fields(record),
        phase=phase,
        figures=figures,
        guessing=sum(1 / len(each.option_ids) for each in answers) / max(len(answers), 1),
        families=_lowest_first(figures.by_family),
        types=_lowest_first(figures.by_type),
        files=_lowest_first(figures.by_file),
        scores=_scores(answers, figures.accuracy.total) if answers else None,
        orders=order_by_type(line for line in results.answers if (line.phase, line.identity) == (phase, digest)),
        speeds=tuple(Speed(name, each, _seconds(results, name, digest)) for name, each in of),
        wrong=tuple(wrong[:WRONG_SHOWN]),
        wrong_count=len(wrong),
    )


def chosen(answer: Answered) -> float:
    """Return the chosen option's probability."""
    return answer.probabilities[answer.option_ids.index(answer.choice)]


def _scores(answers: Sequence[Answered], total: int) -> Scores:
    confidence, correct = [chosen(each) for each in answers], [each.correct for each in answers]
    acted = [each for each in answers if each.choice != each.abstain_option]
    of_acted = [chosen(each) for each in acted], [each.correct for each in acted]
    return Scores(
        count=len(answers),
        bins=reliability(confidence, correct),
        error=expected_calibration_error(confidence, correct),
        noise=noise(confidence),
        curve=curve(*of_acted, total),
        levels=levels(*of_acted, total),
        abstained=len(answers) - len(acted),
    )


def _seconds(results: Results, phase: str, digest: str) -> tuple[float, ...]:
    return tuple(line.client_seconds for line in results.answers if (line.phase, line.identity) == (phase, digest))


def _lowest_first(shares: dict[str, Share]) -> tuple[tuple[str, Share], ...]:
    return tuple(sorted(shares.items(), key=lambda row: (row[1].value, row[0])))
