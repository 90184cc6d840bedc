"""What the start proves with a loaded model."""

import pytest

from semif.decision import StartFailure
from semif.proofs import check_that_it_decides
from tests.contract.application import Served


def test_the_speed_is_measured_when_the_engine_is_warm() -> None:
    """The start decides twice, and the estimate comes from the second time: tokens still to be read, and their time."""
    served = Served()

    speed = check_that_it_decides(served.invocations.service, served.engine)

    first, second = served.engine.works
    assert first == second
    assert speed.seconds(served.engine.pending_tokens(second)) == 0.75


def test_limits_that_refuse_the_known_decision_end_the_start() -> None:
    """A container whose limits are too small for the smallest real prompt would refuse everything."""
    served = Served(max_tokens=64)

    with pytest.raises(StartFailure, match=r"SEMIF_MAX_TOKENS .* at most 64"):
        check_that_it_decides(served.invocations.service, served.engine)
