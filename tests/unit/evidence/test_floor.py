"""How much a run differs from itself."""

import pytest

from evidence.floor import floor_of, repeats_of
from evidence.pairs import ComparisonError
from evidence.verdict import Floor
from tests.unit.evidence.synthetic import answered, failed, identity, results

RIGHT, WRONG = (2.0, 1.0, 0.0), (1.0, 2.0, 0.0)
OTHER = identity(threads=4)


def test_floor_counts_every_task_whose_correctness_moves() -> None:
    """One lost and one gained are two that moved, though as many are right; the worst repeat counts."""
    run = results(
        [
            *(answered(task, logits) for task, logits in (("t1", RIGHT), ("t2", WRONG), ("t3", RIGHT), ("t4", RIGHT))),
            *(answered(task, RIGHT, repeat=1) for task in ("t1", "t2", "t3", "t4")),
            *(answered(f"t{n}", WRONG if n == 1 else RIGHT, repeat=2) for n in (1, 2, 3, 4)),
        ]
    )

    assert floor_of(repeats_of(run, None, "sequential")) == Floor(pairs=8, flipped=3, identical=5, swing=0.5)


def test_repeats_of_another_phase_are_none_of_this_one() -> None:
    """Answers of sixteen clients say nothing of how much a sequential run repeats itself."""
    run = results([answered("t1"), answered("t1", phase="closed-16"), answered("t1", phase="closed-16", repeat=1)])

    assert repeats_of(run, None, "sequential") == []
    assert floor_of([]) is None
    assert len(repeats_of(run, None, "closed-16")) == 1


def test_repeat_by_something_else_is_no_repeat() -> None:
    """Two identities in one run are two runtimes, and the difference between them is no noise."""
    run = results([answered("t1"), answered("t1", repeat=1, identity=OTHER.sha256)], identity(), OTHER)

    with pytest.raises(ComparisonError, match="A and its repeats: 2 identities"):
        repeats_of(run, None, "sequential")


def test_repeat_that_was_not_answered_has_flipped_and_moved() -> None:
    """A failure is a wrong answer, and no bits are equal to none."""
    run = results([answered("t1"), answered("t2"), failed("t1", repeat=1), answered("t2", repeat=1)])

    assert floor_of(repeats_of(run, None, "sequential")) == Floor(pairs=2, flipped=1, identical=1, swing=0.5)
