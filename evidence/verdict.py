"""One sentence on whether two runs differ, by an exact paired test and against what a repeat differs by itself."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from scipy import stats

ALPHA: Final = 0.05


@dataclass(frozen=True, slots=True)
class Counts:
    """Tasks of two runs: all, right in each, right in one alone, another choice, same logits to the bit."""

    tasks: int
    right_a: int
    right_b: int
    lost: int
    gained: int
    flipped: int
    identical: int


@dataclass(frozen=True, slots=True)
class Floor:
    """What repeats of A against A come to: pairs of one task each, how many flip, and how many have the same bits.

    `swing` is the greatest share of tasks, among the repeats, that are right in one of two repeats alone.
    """

    pairs: int
    flipped: int
    identical: int
    swing: float


class Finding(StrEnum):
    """What is shown about the number of right answers."""

    SAME = "same"
    NO_DIFFERENCE_SHOWN = "no_difference_shown"
    WORSE = "b_is_worse"
    BETTER = "b_is_better"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The finding, the test's p-value, and both in words."""

    finding: Finding
    p_value: float
    sentence: str


def exact_p(lost: int, gained: int) -> float:
    """Return McNemar's exact two-sided p-value: of tasks that one run alone has right, each should have half."""
    if lost + gained == 0:
        return 1.0
    return float(stats.binomtest(lost, lost + gained, 0.5).pvalue)


def verdict(counts: Counts, floor: Floor | None) -> Verdict:
    """Say whether B differs from A, and whether the difference is one that A has from itself."""
    p_value = exact_p(counts.lost, counts.gained)
    if counts.identical == counts.tasks and not counts.flipped:
        return Verdict(Finding.SAME, p_value, f"No difference: all {counts.tasks} answers have the same bits.")
    finding, opening = _finding(counts, p_value, floor)
    scores = (
        f"A has {counts.right_a} and B {counts.right_b} of {counts.tasks} right; A alone has {counts.lost}, B alone "
        f"{counts.gained} (exact two-sided p = {p_value:.2g})."
    )
    return Verdict(finding, p_value, f"{opening} {scores} {_flips(counts, floor)}")


def _finding(counts: Counts, p_value: float, floor: Floor | None) -> tuple[Finding, str]:
    if p_value >= ALPHA:
        return Finding.NO_DIFFERENCE_SHOWN, "No difference shown:"
    swing = math.floor(floor.swing * counts.tasks + 0.5) if floor else 0
    if floor and abs(counts.lost - counts.gained) <= swing:
        return Finding.NO_DIFFERENCE_SHOWN, f"No difference shown, since a repeat of A moves up to {swing} tasks too:"
    if counts.lost > counts.gained:
        return Finding.WORSE, "B is worse than A:"
    return Finding.BETTER, "B is better than A:"


def _flips(counts: Counts, floor: Floor | None) -> str:
    flips = f"{counts.flipped} of {counts.tasks} choices differ"
    if floor is None:
        return f"{flips}; without a repeat of A it is unknown how many would anyway."
    if floor.identical == floor.pairs:
        return f"{flips}; a repeat of A has the same bits in all {floor.pairs}, so none of this is noise."
    repeat = f"a repeat of A flips {floor.flipped} of {floor.pairs}"
    return f"{flips}; {repeat}: {'more than' if _beyond(counts, floor) else 'inside'} the noise."


def _beyond(counts: Counts, floor: Floor) -> bool:
    """Whether the share of flips is shown to be greater than the floor's (Fisher's exact test, one-sided)."""
    table = [[counts.flipped, counts.tasks - counts.flipped], [floor.flipped, floor.pairs - floor.flipped]]
    return bool(stats.fisher_exact(table, alternative="greater").pvalue < ALPHA)
