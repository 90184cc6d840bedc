"""What the start proves with a loaded model."""

from contextlib import nullcontext

import pytest

from semif.decision import StartFailure
from semif.proofs import check_offloading, check_that_it_decides
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


@pytest.mark.parametrize(
    ("asked", "offloaded", "total", "right"),
    [
        (0, 0, 33, True),
        (-1, 33, 33, True),
        (20, 20, 33, True),
        (99, 33, 33, True),
        (-1, 32, 33, False),
        (-1, 0, 33, False),
        (20, 19, 33, False),
        (0, 1, 33, False),
    ],
)
def test_layers_are_where_they_were_asked_for(*, asked: int, offloaded: int, total: int, right: bool) -> None:
    """As many layers as asked for, every one for -1, are on a GPU, or the start ends and names both figures."""
    with nullcontext() if right else pytest.raises(StartFailure, match=f"{offloaded} layers are on a GPU where"):
        check_offloading(asked, offloaded=offloaded, total=total)
