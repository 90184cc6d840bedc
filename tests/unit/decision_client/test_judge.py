"""The rule that calibration certifies, for any thresholds and scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision_client.outcome import Action, judge
from decision_client.policy import Thresholds
from tests.unit.decision_client.samples import policy

SHARES = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])


@given(
    st.builds(
        Thresholds,
        target_risk=st.just(0.1),
        confidence=st.just(0.9),
        act=st.none() | SHARES,
        review=st.none(),
        min_mass=SHARES,
        min_margin=SHARES,
    ),
    SHARES,
    SHARES,
    SHARES,
)
def test_threshold_itself_is_enough(thresholds: Thresholds, probability: float, mass: float, distance: float) -> None:
    """Acted upon is what reaches every threshold, equal values included, and nothing else."""
    action, _ = judge(thresholds, probability, mass=mass, distance=distance)
    reaches = mass >= thresholds.min_mass and distance >= thresholds.min_margin
    assert (action is Action.ACT) == (reaches and thresholds.act is not None and probability >= thresholds.act)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), SHARES)
def test_answer_below_the_review_threshold_is_left_and_no_other(
    probability: float, mass: float, distance: float, review: float
) -> None:
    """Little mass or margin is a reason to look at it; a probability at the threshold is worth a look."""
    thresholds = Thresholds(
        target_risk=0.1, review_risk=0.3, confidence=0.9, act=1.0, review=review, min_mass=0.5, min_margin=0.1
    )
    for value in (probability, review):
        action, _ = judge(thresholds, value, mass=mass, distance=distance)
        assert (action is Action.ABSTAIN) == (value < review)


def test_review_above_act_is_refused() -> None:
    """It would leave what it acts upon."""
    with pytest.raises(ValueError, match="review: is greater than act"):
        policy(act=0.6, review=0.7)
