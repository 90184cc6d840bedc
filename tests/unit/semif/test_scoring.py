"""From logits to a readout."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from semif.decision import Thresholds
from semif.scoring import InvalidLogitsError, read_out

finite = st.floats(-1e4, 1e4, width=32)
logit_vectors = hnp.arrays(np.float32, st.integers(16, 64), elements=finite)


@given(logit_vectors, st.integers(2, 16))
def test_readout_is_a_distribution_that_agrees_with_its_logits(
    logits: np.ndarray[tuple[int], np.dtype[np.float32]], count: int
) -> None:
    """Probabilities sum to one, order as the logits do, and the mass is a share."""
    readout = read_out(logits, tuple(range(count)))

    assert math.fsum(readout.probabilities) == pytest.approx(1.0, abs=1e-12)
    assert readout.option_logits == tuple(float(value) for value in logits[:count])
    assert max(readout.probabilities) == readout.probabilities[readout.choice]
    assert 0.0 <= readout.allowed_token_mass <= 1.0
    assert logits[readout.full_vocab_argmax_id] == logits.max()


@given(logit_vectors, st.permutations(range(5)))
def test_readout_follows_the_declared_order(
    logits: np.ndarray[tuple[int], np.dtype[np.float32]], order: list[int]
) -> None:
    """Reordering the letters reorders the answer and changes none of its logits."""
    plain = read_out(logits, tuple(range(5)))
    turned = read_out(logits, tuple(order))

    assert turned.option_logits == tuple(plain.option_logits[index] for index in order)
    assert turned.allowed_token_mass == pytest.approx(plain.allowed_token_mass, rel=1e-12)


@given(logit_vectors, st.sampled_from([math.nan, math.inf, -math.inf]), st.data())
def test_any_number_that_is_not_finite_is_no_decision(
    logits: np.ndarray[tuple[int], np.dtype[np.float32]], value: float, data: st.DataObject
) -> None:
    """One bad number anywhere in the vocabulary, letter or not, is an error."""
    logits = logits.copy()
    logits[data.draw(st.integers(0, len(logits) - 1))] = value

    with pytest.raises(InvalidLogitsError):
        read_out(logits, (0, 1))


def test_tie_goes_to_the_first_declared_option() -> None:
    """Of exactly equal highest logits the first declared option is chosen, and the tie is flagged."""
    logits = np.array([0.0, 3.0, 1.0, 3.0], dtype=np.float32)

    assert (read_out(logits, (2, 3, 1)).choice, read_out(logits, (2, 3, 1)).tie) == (1, True)
    assert (read_out(logits, (0, 1, 2)).choice, read_out(logits, (0, 1, 2)).tie) == (1, False)


def test_mass_is_the_letters_share_of_the_whole_vocabulary() -> None:
    """Two of four equally likely tokens hold half of the probability."""
    assert read_out(np.zeros(4, dtype=np.float32), (0, 1)).allowed_token_mass == pytest.approx(0.5)


@given(hnp.arrays(np.float32, st.integers(16, 40_000), elements=st.floats(-40, 40, width=32)), st.integers(2, 16))
def test_mass_is_the_softmax_over_the_whole_vocabulary(
    logits: np.ndarray[tuple[int], np.dtype[np.float32]], count: int
) -> None:
    """However many blocks the vocabulary has, the mass is that of a softmax in double precision, to a millionth."""
    weights = np.exp(logits.astype(np.float64) - float(logits.max()))

    assert read_out(logits, tuple(range(count))).allowed_token_mass == pytest.approx(
        weights[:count].sum() / weights.sum(), rel=1e-6
    )


@pytest.mark.parametrize(
    ("threshold", "flagged"), [(0.0, False), (0.5, False), (math.nextafter(0.5, 1), True), (1.0, True)]
)
def test_mass_is_low_below_the_threshold_and_not_at_it(threshold: float, *, flagged: bool) -> None:
    """Two of four equally likely tokens hold exactly half: that is enough where half is asked for."""
    readout = read_out(np.zeros(4, dtype=np.float32), (0, 1), Thresholds(token_mass=threshold))

    assert (readout.allowed_token_mass, readout.low_mass) == (0.5, flagged)


@given(logit_vectors, st.integers(2, 16))
def test_margin_is_low_below_the_threshold_and_not_at_it(
    logits: np.ndarray[tuple[int], np.dtype[np.float32]], count: int
) -> None:
    """The distance of the two highest probabilities, whatever their order, is what a threshold is compared with."""
    first, second, *_ = sorted(read_out(logits, tuple(range(count))).probabilities, reverse=True)
    distance = first - second

    at, above = (
        read_out(logits, tuple(range(count)), Thresholds(margin=margin))
        for margin in (distance, math.nextafter(distance, 2))
    )

    assert (at.low_margin, above.low_margin) == (False, True)


def test_an_equal_pair_has_no_margin_to_be_low_where_none_is_asked_for() -> None:
    """Thresholds of 0 flag nothing, not even a tie or no mass at all."""
    logits = np.array([0.0, 0.0, 200.0], dtype=np.float32)

    readout = read_out(logits, (0, 1), Thresholds(0.0, 0.0))

    assert readout.allowed_token_mass < 1e-80
    assert (readout.tie, readout.low_mass, readout.low_margin) == (True, False, False)


def test_letters_that_hold_everything_hold_one() -> None:
    """Rounding never makes a share more than a whole, and a whole is never too little."""
    logits = np.array([3.0, 2.9, 1.7, -0.3] + [-300.0] * 60, dtype=np.float32)
    for count in (2, 3, 4):
        readout = read_out(logits[[*range(count), *range(4, 64)]], tuple(range(count)), Thresholds(token_mass=0.999999))
        assert 0.999999 <= readout.allowed_token_mass <= 1.0
        assert readout.low_mass is False
