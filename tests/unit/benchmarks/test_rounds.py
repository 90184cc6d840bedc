"""How often a measurement is repeated."""

from benchmarks.rounds import Rounds


def test_rounds_are_at_least_the_least_without_any_time() -> None:
    """A slow machine still measures something."""
    assert list(Rounds(3, 7, 0.0)) == [0, 1, 2]


def test_rounds_are_at_most_the_most_with_all_the_time() -> None:
    """A fast machine stops when it is sure enough."""
    assert list(Rounds(1, 4, 3600.0)) == [0, 1, 2, 3]
