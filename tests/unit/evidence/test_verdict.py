"""When two runs are said to differ."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.compare import compare
from evidence.results import Results
from evidence.verdict import Counts, Finding, Floor, exact_p, verdict
from tests.unit.evidence.synthetic import answered, results

CLOSE = [(b, c) for b in range(7) for c in range(7) if abs(b - c) == 1 and b + c <= 6]
SHARED = 176  # right in both
PUBLISHED = [(179 - b, b, c) for b, c in CLOSE if c > b] + [(180 - b, b, c) for b, c in CLOSE if b > c]


def _counts(lost: int, gained: int, tasks: int = 231, flipped: int | None = None) -> Counts:
    return Counts(
        tasks=tasks,
        right_a=SHARED + lost,
        right_b=SHARED + gained,
        lost=lost,
        gained=gained,
        flipped=lost + gained if flipped is None else flipped,
        identical=0,
    )


@pytest.mark.rule("One task more or less right is no difference shown", tool="scipy's exact binomial test", emulated="")
@pytest.mark.parametrize(("lost", "gained"), CLOSE)
@pytest.mark.parametrize(
    "floor", [None, Floor(231, 0, 231, 0.0), Floor(777, 19, 0, 0.01)], ids=["unknown", "none", "some"]
)
def test_one_task_of_difference_is_not_shown_to_be_one(lost: int, gained: int, floor: Floor | None) -> None:
    """Up to six discordant tasks, 179 against 180 of 231 among them, whatever is known of the noise."""
    found = verdict(_counts(lost, gained), floor)

    assert found.finding is Finding.NO_DIFFERENCE_SHOWN
    assert found.sentence.startswith("No difference shown")
    assert f"A has {SHARED + lost} and B {SHARED + gained} of 231 right" in found.sentence


def test_every_pair_that_differs_by_one_task_is_tried() -> None:
    """(0, 1) to (2, 3), both ways; six discordant tasks are even and differ by two or none."""
    assert len(CLOSE) == 6
    assert (2, 3) in CLOSE


@pytest.mark.parametrize(("both", "lost", "gained"), PUBLISHED)
@pytest.mark.parametrize("repeat", [None, 0, 1], ids=["no repeat", "the same bits", "a repeat that flips one"])
def test_179_and_180_of_231_are_no_difference_shown(both: int, lost: int, gained: int, repeat: int | None) -> None:
    """From the lines of two runs to the sentence, whichever run has one more, and whatever is known of the noise."""
    right_a = [True] * (both + lost) + [False] * (231 - both - lost)
    right_b = [True] * both + [False] * lost + [True] * gained + [False] * (231 - both - lost - gained)
    again = [] if repeat is None else [each != (number < repeat) for number, each in enumerate(right_a)]

    found = compare(_run("a", 2.0, right_a, again), _run("b", 3.0, right_b, [])).verdict

    assert {sum(right_a), sum(right_b)} == {179, 180}
    assert found.finding is Finding.NO_DIFFERENCE_SHOWN
    assert found.sentence.startswith(f"No difference shown: A has {sum(right_a)} and B {sum(right_b)} of 231 right")


@given(st.integers(0, 115), st.booleans(), st.none() | st.floats(0, 1))
def test_one_task_is_never_a_difference(lost: int, swapped: bool, swing: float | None) -> None:  # noqa: FBT001 - hypothesis gives it
    """However many tasks are won and lost, if they are one more or less."""
    counts = _counts(lost, lost + 1, tasks=500) if swapped else _counts(lost + 1, lost, tasks=500)
    floor = None if swing is None else Floor(500, 3, 0, swing)

    assert verdict(counts, floor).finding is Finding.NO_DIFFERENCE_SHOWN


def _run(name: str, highest: float, right: list[bool], again: list[bool]) -> Results:
    lines = [
        answered(f"t{number}", (highest, 1.0, 0.0) if each else (1.0, highest, 0.0), repeat=repeat)
        for repeat, run in enumerate((right, again))
        for number, each in enumerate(run)
    ]
    return results(lines, run=name)


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_p_value_is_the_two_tails_of_a_fair_coin(lost: int, gained: int) -> None:
    """It is the same whichever run is A, is no greater than 1, and equals twice the smaller tail."""
    found = exact_p(lost, gained)

    tosses, least = lost + gained, min(lost, gained)
    tail = sum(math.comb(tosses, heads) for heads in range(least + 1)) / 2**tosses
    assert found == pytest.approx(min(1.0, 2 * tail))
    assert found == pytest.approx(exact_p(gained, lost))


@pytest.mark.parametrize(("lost", "gained", "finding"), [(9, 0, Finding.WORSE), (1, 12, Finding.BETTER)])
def test_a_one_sided_loss_or_gain_is_shown(lost: int, gained: int, finding: Finding) -> None:
    """Nine tasks lost and none gained is no coin's work."""
    assert verdict(_counts(lost, gained), None).finding is finding


@pytest.mark.parametrize(("lost", "finding"), [(5, Finding.NO_DIFFERENCE_SHOWN), (6, Finding.WORSE)])
def test_level_of_the_test_is_five_per_cent(lost: int, finding: Finding) -> None:
    """Five of five tasks lost have p = 0.0625, six of six 0.031."""
    assert verdict(_counts(lost, 0), None).finding is finding


@pytest.mark.parametrize(("moved", "finding"), [(9, Finding.NO_DIFFERENCE_SHOWN), (8, Finding.WORSE)])
def test_difference_has_to_be_greater_than_what_a_repeat_moves(moved: int, finding: Finding) -> None:
    """Nine tasks lost are what a repeat moves, or one more."""
    assert verdict(_counts(9, 0), Floor(231, moved, 0, moved / 231)).finding is finding


def test_what_a_repeat_of_a_moves_too_is_not_shown() -> None:
    """Nine of 231 tasks lost say nothing if a repeat of A changes the correctness of 5 % of its tasks."""
    found = verdict(_counts(9, 0), Floor(pairs=231, flipped=12, identical=0, swing=0.05))

    assert found.finding is Finding.NO_DIFFERENCE_SHOWN
    assert "a repeat of A moves up to 12 tasks too" in found.sentence
    assert found.sentence.endswith("9 of 231 choices differ; a repeat of A flips 12 of 231: inside the noise.")


def test_flips_beyond_the_floor_are_called_so() -> None:
    """40 of 777 where a repeat flips 17 are more than noise, though as many tasks are won as are lost."""
    found = verdict(_counts(20, 20, tasks=777), Floor(pairs=777, flipped=17, identical=0, swing=0.02))

    assert found.finding is Finding.NO_DIFFERENCE_SHOWN
    assert found.sentence.endswith("more than the noise.")


@pytest.mark.parametrize(("flipped", "says"), [(21, "more than the noise."), (3, "inside the noise.")])
def test_fewer_flips_than_a_repeat_has_are_inside_the_noise(flipped: int, says: str) -> None:
    """However sure it is that there are fewer; and 21 where a repeat flips 10 are more, at 5 % one-sided alone."""
    found = verdict(_counts(2, 2, tasks=500, flipped=flipped), Floor(pairs=500, flipped=10, identical=0, swing=0.0))
    fewer = verdict(_counts(2, 2, tasks=500, flipped=1), Floor(pairs=500, flipped=40, identical=0, swing=0.0))

    assert found.sentence.endswith(says)
    assert fewer.sentence.endswith("inside the noise.")


def test_flips_of_a_deterministic_runtime_are_never_noise() -> None:
    """Where a repeat has the same bits, one flip is a difference of B, shown or not in its score."""
    found = verdict(_counts(1, 0), Floor(pairs=231, flipped=0, identical=231, swing=0.0))

    assert found.sentence.endswith("so none of this is noise.")


def test_without_a_repeat_the_sentence_says_that_the_noise_is_unknown() -> None:
    """It claims neither inside nor outside."""
    assert "unknown" in verdict(_counts(2, 3), None).sentence


def test_the_same_bits_are_no_difference() -> None:
    """There is nothing to test."""
    same = Counts(tasks=72, right_a=50, right_b=50, lost=0, gained=0, flipped=0, identical=72)

    assert verdict(same, None).finding is Finding.SAME
