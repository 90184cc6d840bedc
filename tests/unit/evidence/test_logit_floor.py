"""The noise floor in logits."""

import pytest

from evidence.logit_floor import FloorError, LogitFloor, logit_floor
from tests.unit.evidence.synthetic import answered, identity, results

HERE, THERE = identity(), identity(threads=4)


def test_floor_is_the_greatest_distance_of_an_options_logits() -> None:
    """Over all repeats and phases of a prompt; other prompts and other runtimes count for nothing."""
    lines = [
        answered("t1", (2.0, 1.0)),
        answered("t1", (2.25, 1.0), repeat=1),
        answered("t1", (2.125, 0.5), phase="closed-4"),
        answered("t2", (9.0, 1.0), prompt_sha256="a" * 64),
        answered("t1", (7.0, 1.0), repeat=2, identity=THERE.sha256),
    ]

    found = logit_floor(results(lines, HERE, THERE), HERE.sha256)

    assert found == LogitFloor(logits=0.5, prompts=1, answers=3)


def test_runtime_that_repeats_to_the_bit_has_no_noise() -> None:
    """The floor is then 0, and said to rest on so many answers."""
    assert logit_floor(results([answered("t1"), answered("t1", repeat=1)]), HERE.sha256) == LogitFloor(0.0, 1, 2)


@pytest.mark.parametrize("of", [HERE.sha256, THERE.sha256])
def test_results_without_repeats_on_the_runtime_are_refused(of: str) -> None:
    """One answer says nothing about noise, nor do two of another runtime."""
    one = [answered("t1"), answered("t2", prompt_sha256="a" * 64)]
    with pytest.raises(FloorError, match="no prompt that was answered twice"):
        logit_floor(results(one), of)


def test_options_of_other_names_are_not_compared() -> None:
    """Their texts may be the same; which logit is whose is then not."""
    other = answered("t1", (7.0, 1.0, 0.0), "x", option_ids=("x", "y", "z"), repeat=2)

    assert logit_floor(results([answered("t1"), answered("t1", repeat=1), other]), HERE.sha256).logits == 0
