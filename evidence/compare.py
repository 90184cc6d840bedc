"""Two results files compared: what changed, whether it is more than noise, and what else differs between them."""

from collections.abc import Sequence
from dataclasses import dataclass

from evidence.difference import Difference, differences
from evidence.pairs import ComparisonError, Pair, common_phase, once, one_identity, paired, right
from evidence.ratios import Ratio, latency_ratios
from evidence.records import Answered, Failed
from evidence.results import Results
from evidence.verdict import Counts, Floor, Verdict, verdict


@dataclass(frozen=True, slots=True)
class Scores:
    """What one run answered: its choice, and each option's probability; a failure has its error as choice."""

    choice: str
    right: bool
    probabilities: dict[str, float]


@dataclass(frozen=True, slots=True)
class Flip:
    """A task on which the runs do not choose the same."""

    task: str
    family: str
    gold: str
    a: Scores
    b: Scores


@dataclass(frozen=True, slots=True)
class Comparison:
    """B compared with A on the tasks that both were asked, each counted once: one phase, first repeat, order declared.

    `reworded` and `prompts_changed` count tasks with another definition and another rendered prompt.
    """

    verdict: Verdict
    phase: str
    counts: Counts
    floor: Floor | None
    only_a: int
    only_b: int
    flips: tuple[Flip, ...]
    ratios: tuple[Ratio, ...]
    identity: tuple[Difference, ...]
    reworded: int
    prompts_changed: int


def compare(a: Results, b: Results, *, floor: Results | None = None, phase: str | None = None) -> Comparison:
    """Compare two runs; the noise floor comes from A's own repeats and from `floor`, another run of A.

    Raises:
        ComparisonError: There is nothing to pair, gold labels contradict each other, one side mixes identities, or
            `floor` is not a run of what A is.
    """
    phase = common_phase(a, b, phase)
    of_a, of_b = once(a, phase), once(b, phase)
    pairs = paired(of_a, of_b)
    identity_a = one_identity("A", of_a.values())
    identity_b = one_identity("B", of_b.values())
    found = counts(pairs)
    noise = _floor(a, floor, phase)
    return Comparison(
        verdict=verdict(found, noise),
        phase=phase,
        counts=found,
        floor=noise,
        only_a=len(of_a) - len(pairs),
        only_b=len(of_b) - len(pairs),
        flips=tuple(_flip(pair) for pair in pairs if pair.flipped),
        ratios=latency_ratios(pairs),
        identity=differences(a.identities.get(identity_a or ""), b.identities.get(identity_b or "")),
        reworded=sum(pair.a.definition != pair.b.definition for pair in pairs),
        prompts_changed=sum(
            pair.a.prompt_sha256 != pair.b.prompt_sha256
            for pair in pairs
            if isinstance(pair.a, Answered) and isinstance(pair.b, Answered)
        ),
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


def _floor(a: Results, other: Results | None, phase: str) -> Floor | None:
    first = once(a, phase)
    runs = [
        once(a, phase, repeat) for repeat in sorted({line.repeat for line in a.answers if line.phase == phase} - {0})
    ]
    if other is not None:
        runs.append(_repeat_of(a, other, phase))
    for run in runs:
        one_identity("A and its repeats", (*first.values(), *run.values()))
    found = [counts(paired(first, run)) for run in runs]
    if not found:
        return None
    return Floor(
        pairs=sum(each.tasks for each in found),
        flipped=sum(each.flipped for each in found),
        identical=sum(each.identical for each in found),
        swing=max((each.lost + each.gained) / each.tasks for each in found),
    )


def _repeat_of(a: Results, other: Results, phase: str) -> dict[str, Answered | Failed]:
    run = once(other, phase)
    if other.run.id == a.run.id:
        raise ComparisonError("the floor's run is A itself: a repeat of A is another run of it")
    of_a, of_other = one_identity("A", once(a, phase).values()), one_identity("floor", run.values())
    if of_a != of_other:
        found = differences(a.identities.get(of_a or ""), other.identities.get(of_other or ""))
        raise ComparisonError(
            f"the floor's run is no repeat of A: it differs in {', '.join(each.field for each in found)}"
        )
    return run


def _flip(pair: Pair) -> Flip:
    return Flip(pair.a.task, pair.a.family, pair.a.gold, _scores(pair.a), _scores(pair.b))


def _scores(line: Answered | Failed) -> Scores:
    if isinstance(line, Failed):
        return Scores(line.error, right=False, probabilities={})
    shares = dict(zip(line.option_ids, line.probabilities, strict=True))
    return Scores(line.choice, line.correct, shares)
