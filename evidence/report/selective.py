"""What acting on answers from some probability on would have come to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evidence.calibration.bounds import interval, upper_bound
from evidence.calibration.risk_coverage import Point, risk_coverage

THRESHOLDS: Final = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Fixed beforehand, so that no figure of the run chose them."""

CONFIDENCE: Final = 0.95
MOST_POINTS: Final = 160


@dataclass(frozen=True, slots=True)
class Level:
    """Answers whose probability is at least `threshold`; `bound` is the exact one-sided 95 % one on their risk."""

    threshold: float
    covered: int
    wrong: int
    coverage: float
    bound: float

    @property
    def risk(self) -> float | None:
        """The share that is wrong, of at least one."""
        return self.wrong / self.covered if self.covered else None


def levels(confidence: Sequence[float], correct: Sequence[bool], total: int) -> tuple[Level, ...]:
    """Return one row for each threshold; `total` are all tasks."""
    pairs = list(zip(confidence, correct, strict=True))
    found = []
    for threshold in THRESHOLDS:
        marks = [right for probability, right in pairs if probability >= threshold]
        wrong = marks.count(False)
        bound = upper_bound(wrong, len(marks), CONFIDENCE)
        found.append(Level(threshold, len(marks), wrong, len(marks) / total if total else 0.0, bound))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of a risk-coverage curve, and the exact 95 % interval of each one's risk."""

    points: tuple[Point, ...]
    intervals: tuple[tuple[float, float], ...]


def curve(confidence: Sequence[float], correct: Sequence[bool], total: int) -> Curve:
    """Return the curve; of very many points, as many as a drawing shows, the last one always."""
    points = risk_coverage(confidence, correct, total=total)
    every = max(1, len(points) // MOST_POINTS)
    drawn = points[::-1][::every][::-1]
    return Curve(drawn, tuple(interval(point.wrong, point.covered) for point in drawn))
