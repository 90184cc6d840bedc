"""Two thresholds of one policy: nobody is shown for review what is acted upon."""

import pytest

from decision_client.identity import Runtime
from evidence.calibration.group import Certified, in_order
from evidence.calibration.rules import Target
from evidence.calibration.sequence import FixedSequence, Trial
from tests.unit.evidence.synthetic import identity

RUNTIME: Runtime = identity().runtime


def certified(threshold: float, *shown: float) -> Certified:
    """A threshold of a sequence in which those thresholds are shown, and 0.05 is not."""
    tested = (
        *(Trial(each, RUNTIME, 50, 1, 0.1, shown=True) for each in shown),
        Trial(0.05, RUNTIME, 9, 9, 1.0, shown=False),
    )
    return Certified(FixedSequence(Target(0.1, 0.95), tested, threshold), threshold, None, 100)


@pytest.mark.parametrize("review", [0.3, 0.6])
def test_thresholds_in_order_stay_as_they_are(review: float) -> None:
    """A review threshold at the one to act on or below it."""
    act, below = certified(0.6, 0.9, 0.8, 0.6), certified(review, review)

    assert in_order(act, below) == (act, below)


def test_threshold_to_act_on_is_raised_to_the_least_shown_one_at_the_review_threshold_or_above() -> None:
    """Everything shown holds at once, so any of them may be taken; the least covers most."""
    found, review = in_order(certified(0.6, 0.9, 0.8, 0.7, 0.6), certified(0.7, 0.7))

    assert (found.threshold, review.threshold) == (0.7, 0.7)
    assert "raised from 0.6" in found.note
    assert in_order(certified(0.6, 0.9, 0.8, 0.6), certified(0.7, 0.7))[0].threshold == 0.8


def test_review_threshold_above_all_that_may_be_acted_upon_is_left_out() -> None:
    """It is shown, and says that nothing below the threshold to act on is worth a look."""
    act = certified(0.6, 0.6)

    found, review = in_order(act, certified(0.7, 0.7))

    assert (found, review.threshold) == (act, None)
    assert review.note == "0.7 is shown, which is above the act threshold: left out"
