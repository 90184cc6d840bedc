"""Thresholds by fixed-sequence testing: from the most conservative on, until the first that cannot be shown.

The hypothesis at each threshold is that more than the target are wrong among the answers it lets through. Each gets an
exact binomial test at the whole error probability. That is allowed because the order is fixed and the first hypothesis
that is not rejected ends the sequence: a threshold that does not hold is certified only if the first such one is.
"""

from dataclasses import dataclass

from decision_client.identity import Runtime
from evidence.calibration.bounds import labels_needed, shown, upper_bound
from evidence.calibration.cases import Cases
from evidence.calibration.rules import Rule, Target

LATTICE = (
    *(0.999, 0.998, 0.995, 0.99, 0.98, 0.97, 0.96, 0.95, 0.94, 0.92, 0.9, 0.88, 0.86, 0.84, 0.82, 0.8),
    *(0.775, 0.75, 0.725, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05),
)
"""The probabilities that can become thresholds, whatever the evidence."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One threshold on the answers of one runtime: how many it lets through, how many of them are wrong, the bound."""

    threshold: float
    runtime: Runtime
    covered: int
    wrong: int
    upper_bound: float
    shown: bool


@dataclass(frozen=True, slots=True)
class FixedSequence:
    """What was tested, in order, one entry for each threshold and runtime; `certified` is None if none is shown."""

    target: Target
    tested: tuple[Trial, ...]
    certified: float | None

    def at(self, threshold: float) -> tuple[Trial, ...]:
        """Return the tests of one threshold, one for each runtime."""
        return tuple(each for each in self.tested if each.threshold == threshold)

    @property
    def shown(self) -> tuple[float, ...]:
        """Every threshold that may be used, the highest first; that it is one of them holds for all at once."""
        tried = dict.fromkeys(each.threshold for each in self.tested)
        return tuple(threshold for threshold in tried if all(each.shown for each in self.at(threshold)))


def try_threshold(rule: Rule, cases: Cases, threshold: float) -> tuple[Trial, ...]:
    """Test one threshold on each runtime alone.

    It holds on all if each test is passed, with the confidence of one: a risk above the target on any of them passes
    that one's test too seldom already.
    """
    target = rule.target
    found = []
    for runtime, of_runtime in cases.items():
        passed = rule.passed(of_runtime, threshold)
        covered, wrong = len(passed), sum(not case.correct for case in passed)
        bound = upper_bound(wrong, covered, target.confidence)
        holds = shown(wrong, covered, target.risk, target.confidence)
        found.append(Trial(threshold, runtime, covered, wrong, bound, holds))
    return tuple(found)


def grid(rule: Rule, fitting: Cases, certifying: Cases) -> tuple[float, ...]:
    """Return the thresholds to test, in order. Of the certifying answers only their number is looked at.

    They begin where the fitting answers let expect so many on every runtime that one error among them would be
    affordable: before it a test could hardly be passed, and its failure would end the sequence. Where no threshold lets
    that many through, they begin at the highest that lets through the most, and at the last if none lets through any.
    """
    enough = labels_needed(rule.target.risk, rule.target.confidence, wrong=1)
    expected = [_expected(rule, fitting, certifying, threshold) for threshold in LATTICE]
    most = expected.index(max(expected)) if any(expected) else len(LATTICE) - 1
    start = next((place for place, count in enumerate(expected) if count >= enough), most)
    return LATTICE[start:]


def fixed_sequence(rule: Rule, cases: Cases, thresholds: tuple[float, ...]) -> FixedSequence:
    """Test thresholds in order and certify the largest coverage that is shown.

    Of shown thresholds that let through the same answers the highest is taken: about scores between them the evidence
    says nothing.
    """
    everything: list[Trial] = []
    certified: float | None = None
    most = -1
    for threshold in thresholds:
        step = try_threshold(rule, cases, threshold)
        everything += step
        if not step or not all(each.shown for each in step):
            break
        covered = sum(each.covered for each in step)
        if covered > most:
            certified, most = threshold, covered
    return FixedSequence(rule.target, tuple(everything), certified)


def _expected(rule: Rule, fitting: Cases, certifying: Cases, threshold: float) -> float:
    counts = []
    for runtime, found in certifying.items():
        fitted = fitting.get(runtime, ())
        passed = len(rule.passed(fitted, threshold))
        counts.append(passed / len(fitted) * len(found) if fitted else 0.0)
    return min(counts, default=0.0)
