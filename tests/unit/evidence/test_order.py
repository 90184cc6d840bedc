"""What the order of the options does."""

import pytest

from evidence.calibration.order import order_by_type, order_sensitivity
from tests.unit.evidence.synthetic import Scorer, answered


def test_order_of_an_indifferent_scorer_does_nothing() -> None:
    """No answer changes, and each place gets its equal share."""
    found = order_sensitivity(Scorer().answers(60, 1, rotations=3))
    assert found is not None
    assert (found.tasks, found.flipped, found.moved, found.changed) == (60, 0, 120, 0)
    assert [each.probability for each in found.places] == pytest.approx([1 / 3] * 3)
    assert found.interval[0] == 0 < found.interval[1]


def test_order_of_a_scorer_that_likes_the_first_place_shows() -> None:
    """Answers change with the order, and the first place gets more than its share."""
    found = order_sensitivity(Scorer(position_prior=(2.0, 0.0, 0.0)).answers(80, 1, rotations=3))
    assert found is not None
    assert found.flip_rate > 0.2
    first, *others = found.places
    assert first.probability > 0.45 > max(each.probability for each in others)
    assert first.chosen > 0.45
    assert sum(each.probability for each in found.places) == pytest.approx(1)


def test_order_needs_more_than_one() -> None:
    """Without rotations there is nothing to say, and repeats are none."""
    assert order_sensitivity([answered("t1"), answered("t1", repeat=1)]) is None


def test_order_is_compared_type_by_type() -> None:
    """A type that was asked in one order has nothing to compare."""
    lines = [*Scorer().answers(4, 1, rotations=3, type="score"), answered("t1", type="noul")]

    assert {kind: found.tasks for kind, found in order_by_type(lines).items()} == {"score": 4}


def test_order_leaves_incomplete_rotations_out_of_the_places() -> None:
    """A task with one of its three rotations missing counts for flips and not for the places."""
    lines = [line for line in Scorer().answers(4, 1, rotations=3) if (line.task, line.rotation) != ("task-00000", 2)]
    found = order_sensitivity(lines)
    assert found is not None
    assert (found.tasks, found.moved) == (4, 7)
    assert {each.tasks for each in found.places} == {3}
    assert [each.probability for each in found.places] == pytest.approx([1 / 3] * 3)


def test_order_is_compared_within_one_phase_repeat_and_identity() -> None:
    """What changes between repeats, under load, or on another member of a pool is no matter of the order."""
    asked = [
        answered("t1", (2.0, 1.0), option_ids=("a", "b")),
        answered("t1", (1.0, 2.0), option_ids=("b", "a"), rotation=1),
        answered("t1", (2.0, 1.0), option_ids=("b", "a"), rotation=1, repeat=1),
        answered("t1", (2.0, 1.0), option_ids=("b", "a"), rotation=1, phase="closed-4"),
        answered("t1", (2.0, 1.0), option_ids=("b", "a"), rotation=1, identity="f" * 64),
    ]
    found = order_sensitivity(asked)
    assert found is not None
    assert (found.tasks, found.flipped, found.moved) == (1, 0, 1)
