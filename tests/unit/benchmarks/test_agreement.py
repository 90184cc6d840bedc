"""Comparing ours with the reference, and with the expected logits to the bit."""

import numpy as np

from benchmarks.agreement import Agreement
from benchmarks.workload import Body

LETTERS = [1, 3]


def result(*logits: float) -> Body:
    """An answered decision with two options."""
    return {"id": "q", "option_logits": list(logits), "answer_token_ids": LETTERS}


def full(*logits: float) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    """Logits of a vocabulary of five, with the two letters' set."""
    values = np.zeros(5, dtype=np.float32)
    values[LETTERS] = logits
    return values


def test_letters_that_move_together_agree() -> None:
    """A shift of both letters leaves the decision as it was."""
    agreement = Agreement()

    agreement.with_reference(result(5.0, 4.0), full(6.0, 5.0))

    assert agreement.faults == []
    assert (agreement.largest_logit, agreement.largest_margin) == (1.0, 0.0)


def test_another_choice_within_the_tolerance_is_counted_but_no_fault() -> None:
    """Where the reference itself hardly prefers one, the other may win."""
    agreement = Agreement()

    agreement.with_reference(result(5.0, 5.1), full(5.1, 5.0))

    assert agreement.near == 1
    assert agreement.faults == []


def test_another_choice_beyond_the_tolerance_is_a_fault() -> None:
    """A clear decision must not turn."""
    agreement = Agreement()

    agreement.with_reference(result(5.0, 7.0), full(7.0, 5.0))

    assert agreement.flips == 1
    assert len(agreement.faults) == 2


def test_last_bit_decides_against_the_canonical_cut() -> None:
    """Only equal bits are equal."""
    agreement = Agreement()
    nearly = float(np.nextafter(np.float32(5.0), np.float32(6.0)))

    agreement.with_expected([result(5.0, 4.0), result(nearly, 4.0)], [full(5.0, 4.0)] * 2)

    assert (agreement.exact, agreement.inexact) == (1, 1)
    assert "1 of 2 bit-identical" in agreement.summary()
