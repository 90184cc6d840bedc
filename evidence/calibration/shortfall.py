"""Why there is no threshold, and how many labels are missing."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from decision_client.identity import Runtime
from evidence.calibration.bounds import labels_needed, lower_bound
from evidence.calibration.rules import Target
from evidence.calibration.sequence import LATTICE, FixedSequence, Trial

_MOST_ERRORS = 500


@dataclass(frozen=True, slots=True)
class Shortfall:
    """What stands between the labels and a threshold.

    Attributes:
        least: The answers, all right, that show the target risk at the least.
        missing: How many more labels are needed, those that fit included; None where more of the same would not help.
        sentence: The same for people.
    """

    least: int
    missing: int | None
    sentence: str


def shortfall(sequence: FixedSequence, certifying: Mapping[Runtime, int], share: float) -> Shortfall | None:
    """Say what is missing; None if a threshold is certified.

    Args:
        sequence: What was tested.
        certifying: How many answers of each runtime certify.
        share: The share of labels that certify.
    """
    if sequence.certified is not None:
        return None
    target, fewest = sequence.target, min(certifying.values(), default=0)
    least = labels_needed(target.risk, target.confidence)
    rule = f"a risk of {target.risk:.3g} at confidence {target.confidence:.4g} needs {least} covered answers, all right"
    failed = max((each for each in sequence.tested if not each.shown), key=lambda each: each.upper_bound, default=None)
    found = f"{rule}; {_found(failed, certifying)}" if failed else rule
    if failed and lower_bound(failed.wrong, failed.covered, target.confidence) > target.risk:
        return Shortfall(least, None, f"{found}, which is shown to be too many")
    if fewest < least or failed is None:
        more = math.ceil((least - fewest) / share)
        what = f"{more} more labels at the least, were all covered and right"
        return Shortfall(least, more, f"{found}; {fewest} certify: {what}")
    missing, why = _more(failed, target, certifying[failed.runtime] / share)
    return Shortfall(least, missing, f"{found}{why}")


def _more(failed: Trial, target: Target, labels: float) -> tuple[int | None, str]:
    """Return how many more than these labels would pass at the rate and coverage that were found, and say so."""
    if not failed.covered and failed.threshold > LATTICE[-1]:
        return None, ": with more labels the sequence would begin elsewhere"
    if not failed.covered or failed.wrong / failed.covered >= target.risk:
        return None, ", which more labels of the same kind would not mend"
    needed = _needed(failed, target.risk, target.confidence)
    if needed is None:
        return None, ", too close to the target for any number of labels in reach"
    missing = max(1, math.ceil((needed / failed.covered - 1) * labels))
    return missing, f"; at this rate and coverage about {missing} more labels would show it"


def _found(failed: Trial, certifying: Mapping[Runtime, int]) -> str:
    if not failed.covered:
        # Below the last threshold there is no probability to speak of: what keeps an answer out there is another rule.
        why = (
            " (abstain option, mass, margin)"
            if failed.threshold == LATTICE[-1]
            else ", though some were to be expected"
        )
        return f"at {failed.threshold:g} none of {certifying[failed.runtime]} answers is covered{why}"
    return f"at {failed.threshold:g} {failed.wrong} of {failed.covered} covered answers are wrong"


def _needed(failed: Trial, risk: float, confidence: float) -> int | None:
    rate = failed.wrong / failed.covered
    for wrong in range(_MOST_ERRORS):
        covered = labels_needed(risk, confidence, wrong)
        if covered * rate <= wrong:
            return covered
    return None
