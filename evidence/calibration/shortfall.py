"""Why there is no threshold, and how many labels are missing."""

import math
from dataclasses import dataclass

from evidence.calibration.bounds import labels_needed
from evidence.calibration.sequence import FixedSequence, Trial

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


def shortfall(sequence: FixedSequence, *, certifying: int, share: float) -> Shortfall | None:
    """Say what is missing; None if a threshold is certified.

    Args:
        sequence: What was tested.
        certifying: The answers that certify, of the runtime that has the fewest.
        share: The share of labels that certify.
    """
    if sequence.certified is not None:
        return None
    target = sequence.target
    least = labels_needed(target.risk, target.confidence)
    rule = f"a risk of {target.risk:.3g} at confidence {target.confidence:.4g} needs {least} covered answers, all right"
    failed = max((each for each in sequence.tested if not each.shown), key=_distance, default=None)
    if certifying < least or failed is None:
        missing = math.ceil((least - certifying) / share)
        return Shortfall(least, missing, f"{rule}; {certifying} certify, so {missing} more labels are the least")
    found = f"{rule}; at {failed.threshold:g} {failed.wrong} of {failed.covered} covered answers are wrong"
    if failed.wrong / max(1, failed.covered) >= target.risk:
        return Shortfall(least, None, f"{found}, which more labels of the same kind would not mend")
    needed = _needed(failed, target.risk, target.confidence)
    if needed is None or not failed.covered:
        return Shortfall(least, None, f"{found}, too close to the target for any number of labels in reach")
    missing = max(1, math.ceil((needed / failed.covered - 1) * certifying / share))
    return Shortfall(least, missing, f"{found}; at this rate and coverage about {missing} more labels would show it")


def _distance(tested: Trial) -> float:
    return tested.upper_bound


def _needed(failed: Trial, risk: float, confidence: float) -> int | None:
    rate = failed.wrong / failed.covered if failed.covered else 0.0
    for wrong in range(_MOST_ERRORS):
        covered = labels_needed(risk, confidence, wrong)
        if covered * rate <= wrong:
            return covered
    return None
