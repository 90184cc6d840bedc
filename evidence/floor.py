"""How much a run differs from itself: its repeats, task by task."""

from collections.abc import Sequence

from evidence.difference import differences
from evidence.pairs import ComparisonError, Pair, once, one_identity, paired, right
from evidence.records import Answered, Failed
from evidence.results import Results
from evidence.verdict import Counts, Floor


def repeats_of(a: Results, other: Results | None, phase: str) -> list[list[Pair]]:
    """Pair A's first asking with each repeat of its own, and with another run of what A is.

    Raises:
        ComparisonError: More than one identity answered, or `other` is A, or no run of what A is.
    """
    first = once(a, phase)
    numbers = sorted({line.repeat for line in a.answers if line.phase == phase} - {0})
    runs = [once(a, phase, repeat) for repeat in numbers]
    if other is not None:
        runs.append(_repeat_of(a, other, phase))
    for run in runs:
        one_identity("A and its repeats", (*first.values(), *run.values()))
    return [paired(first, run) for run in runs]


def floor_of(repeats: Sequence[Sequence[Pair]]) -> Floor | None:
    """Return what the repeats come to, or None without any."""
    found = [counts(pairs) for pairs in repeats]
    if not found:
        return None
    return Floor(
        pairs=sum(each.tasks for each in found),
        flipped=sum(each.flipped for each in found),
        identical=sum(each.identical for each in found),
        swing=max((each.lost + each.gained) / each.tasks for each in found),
    )


def counts(pairs: Sequence[Pair]) -> Counts:
    """Count the pairs."""
    return Counts(
        tasks=len(pairs),
        right_a=sum(right(pair.a) for pair in pairs),
        right_b=sum(right(pair.b) for pair in pairs),
        lost=sum(pair.lost for pair in pairs),
        gained=sum(pair.gained for pair in pairs),
        flipped=sum(pair.flipped for pair in pairs),
        identical=sum(pair.identical for pair in pairs),
    )


def _repeat_of(a: Results, other: Results, phase: str) -> dict[str, Answered | Failed]:
    run = once(other, phase)
    if other.run.id == a.run.id:
        raise ComparisonError("the floor's run is A itself: a repeat of A is another run of it")
    of_a, of_other = one_identity("A", once(a, phase).values()), one_identity("floor", run.values())
    if of_a != of_other:
        found = differences(a.identities.get(of_a or ""), other.identities.get(of_other or ""))
        named = ", ".join(each.field for each in found)
        raise ComparisonError(f"the floor's run is no repeat of A: it differs in {named}")
    return run
