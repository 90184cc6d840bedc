"""The risk-coverage curve: what share is wrong among the answers that a threshold lets through."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Point:
    """What a threshold on the probability lets through. `coverage` is of all tasks, `risk` of those covered."""

    threshold: float
    covered: int
    wrong: int
    coverage: float
    risk: float


def risk_coverage(confidence: Sequence[float], correct: Sequence[bool], *, total: int = 0) -> tuple[Point, ...]:
    """Return one point for each distinct probability, the highest first.

    Args:
        confidence: The probabilities of answers that could be acted upon.
        correct: Whether each is right.
        total: All tasks, those without an answer or with the abstain option included; by default the answers given.
    """
    pairs = sorted(zip(confidence, correct, strict=True), key=lambda pair: -pair[0])
    everything = max(total, len(pairs))
    points: list[Point] = []
    covered = wrong = 0
    for threshold, equals in groupby(pairs, key=lambda pair: pair[0]):
        marks = [right for _, right in equals]
        covered += len(marks)
        wrong += marks.count(False)
        points.append(Point(threshold, covered, wrong, covered / everything, wrong / covered))
    return tuple(points)
