"""What the start proves with a loaded model."""

from contextlib import nullcontext

import numpy as np
import pytest

from semif import proofs
from semif.decision import StartFailure
from semif.engine import EngineError
from semif.opened_model import check_offloading
from semif.proofs import check_that_it_decides
from tests.contract.application import Served


def test_a_slow_first_decision_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first decision took long, the estimate comes from a second one: tokens still to be read, their time."""
    served = Served()
    monkeypatch.setattr(served.engine, "pending_tokens", lambda _: 10 * len(served.engine.works) + 10)

    speed = check_that_it_decides(served.invocations.service, served.engine)

    assert len(served.engine.works) == 2
    assert speed.seconds(20) == 0.75


def test_a_fast_first_decision_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A decision that took no time need not hold up the start again."""
    served = Served()
    monkeypatch.setattr(proofs, "SLOW_SECONDS", 1.0)

    speed = check_that_it_decides(served.invocations.service, served.engine)

    assert len(served.engine.works) == 1
    assert speed.seconds(served.engine.pending_tokens(served.engine.works[0])) == 0.75


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


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_model_whose_numbers_are_not_finite_ends_the_start(value: float) -> None:
    """Weights that are all finite can still overflow: then there is no healthy container."""
    served = Served()
    served.engine.logits = np.full(300, value, dtype=np.float32)

    with pytest.raises(StartFailure, match="the model does not decide: InvalidLogitsError"):
        check_that_it_decides(served.invocations.service, served.engine)


def test_an_engine_that_fails_ends_the_start() -> None:
    """Whatever it fails with is in the one sentence."""
    served = Served()
    served.engine.failure = EngineError("llama_decode answered -3")

    with pytest.raises(StartFailure, match=r"does not decide: .*llama_decode answered -3"):
        check_that_it_decides(served.invocations.service, served.engine)


def test_both_ends_of_a_prompt_are_read_by_the_proof() -> None:
    """A few tokens of the state and a few of the question go through both decodes."""
    served = Served()

    check_that_it_decides(served.invocations.service, served.engine)

    work = served.engine.works[0]
    assert (len(work.prefix), len(work.suffixes), len(work.suffixes[0])) == (8, 1, 8)


@pytest.mark.parametrize(
    ("letters", "works"), [((0, 0, 0), False), ((5, 5, 5), False), ((0, 0, -1001), False), ((0, 0, 1000), True)]
)
def test_numbers_that_no_working_model_gives_end_the_start(letters: tuple[float, ...], *, works: bool) -> None:
    """A GPU on which nothing was computed gives finite numbers, too: the same for every letter, or enormous ones."""
    served = Served()
    served.engine.logits = np.zeros(300, dtype=np.float32)
    served.engine.logits[[65, 66, 67]] = letters

    with nullcontext() if works else pytest.raises(StartFailure, match="which no working model gives"):
        check_that_it_decides(served.invocations.service, served.engine)
