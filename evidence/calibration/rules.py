"""What a threshold lets through, for each of the two thresholds, and what it has to show."""

from collections.abc import Iterable
from dataclasses import dataclass

from decision_client.policy import Thresholds
from evidence.calibration.cases import Case


@dataclass(frozen=True, slots=True)
class Target:
    """A risk to show, and the confidence that is left for it after the error probability is shared out."""

    risk: float
    confidence: float


@dataclass(frozen=True, slots=True)
class ActRule:
    """What is acted upon from a probability on; `min_mass` and `min_margin` are fixed beforehand."""

    target: Target
    min_mass: float
    min_margin: float

    def passed(self, cases: Iterable[Case], threshold: float) -> list[Case]:
        """Return what the client would act upon."""
        thresholds = Thresholds(
            target_risk=self.target.risk,
            confidence=self.target.confidence,
            act=threshold,
            min_mass=self.min_mass,
            min_margin=self.min_margin,
        )
        return [case for case in cases if case.acted_upon(thresholds)]


@dataclass(frozen=True, slots=True)
class ReviewRule:
    """What a person gets to see as a suggestion from a probability on, that which is acted upon included."""

    target: Target

    def passed(self, cases: Iterable[Case], threshold: float) -> list[Case]:
        """Return what the client would act upon or have reviewed; neither mass nor margin is asked for that."""
        thresholds = Thresholds(
            target_risk=self.target.risk,
            confidence=self.target.confidence,
            review=threshold,
            min_mass=0,
            min_margin=0,
        )
        return [case for case in cases if case.suggested(thresholds)]


Rule = ActRule | ReviewRule
