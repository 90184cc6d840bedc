"""What is decided before the answers are looked at."""

from dataclasses import dataclass

from evidence.calibration.errors import CalibrationError
from evidence.calibration.rules import ActRule, ReviewRule, Target
from evidence.calibration.split import certifies


@dataclass(frozen=True, slots=True)
class Plan:
    """Targets and rules of one calibration.

    Attributes:
        target_risk: The share of wrong answers among those acted upon that must not be exceeded.
        review_risk: The same among all that a person gets to see as a suggestion; None for no such threshold.
        confidence: With which both bounds hold together.
        certify_share: The share of tasks that certify; the others fit temperature and grid.
        seed: Of the split.
        min_mass: Allowed-token mass below which nothing is acted upon.
        min_margin: Calibrated margin below which nothing is acted upon.
    """

    target_risk: float
    review_risk: float | None = None
    confidence: float = 0.95
    certify_share: float = 0.7
    seed: int = 0
    min_mass: float = 0.5
    min_margin: float = 0.1

    def __post_init__(self) -> None:
        shares = {name: getattr(self, name) for name in ("target_risk", "confidence", "certify_share")}
        if self.review_risk is not None:
            shares["review_risk"] = self.review_risk
        for name, value in shares.items():
            if not 0 < value < 1:
                raise CalibrationError(f"{name}: is not between 0 and 1")
        for name in ("min_mass", "min_margin"):
            if not 0 <= getattr(self, name) <= 1:
                raise CalibrationError(f"{name}: is not from 0 to 1")
        if self.review_risk is not None and self.review_risk < self.target_risk:
            raise CalibrationError("review_risk: is smaller than target_risk")

    @property
    def spent(self) -> float:
        """The confidence of one bound.

        With two of them each gets half of the error probability: then both hold together with `confidence`, whatever
        the dependence between them, and neither is worth more than the other.
        """
        return self.confidence if self.review_risk is None else 1 - (1 - self.confidence) / 2

    @property
    def act(self) -> ActRule:
        """What the act threshold lets through."""
        return ActRule(Target(self.target_risk, self.spent), self.min_mass, self.min_margin)

    @property
    def review(self) -> ReviewRule | None:
        """What the review threshold lets through."""
        return None if self.review_risk is None else ReviewRule(Target(self.review_risk, self.spent))

    def certifies(self, task: str) -> bool:
        """Say on which side a task is."""
        return certifies(task, seed=self.seed, share=self.certify_share)
