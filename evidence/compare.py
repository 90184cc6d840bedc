"""Two results files compared: what changed, whether it is more than noise, and what else differs between them."""

from dataclasses import dataclass

from evidence.difference import Difference, differences
from evidence.floor import counts, floor_of, repeats_of
from evidence.pairs import Pair, common_phase, once, one_identity, paired
from evidence.provenance import Provenance, provenance
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

    `repeat_ratios` are those of each repeat of A to A: how much faster or slower the machine was by itself.
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
    repeat_ratios: tuple[tuple[Ratio, ...], ...]
    identity: tuple[Difference, ...]
    reworded: int
    prompts_changed: int
    provenance: Provenance


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
    repeats = repeats_of(a, floor, phase)
    noise = floor_of(repeats)
    return Comparison(
        verdict=verdict(found, noise),
        phase=phase,
        counts=found,
        floor=noise,
        only_a=len(of_a) - len(pairs),
        only_b=len(of_b) - len(pairs),
        flips=tuple(_flip(pair) for pair in pairs if pair.flipped),
        ratios=latency_ratios(pairs),
        repeat_ratios=tuple(latency_ratios(each) for each in repeats),
        identity=differences(a.identities.get(identity_a or ""), b.identities.get(identity_b or "")),
        reworded=sum(pair.a.definition != pair.b.definition for pair in pairs),
        prompts_changed=sum(
            pair.a.prompt_sha256 != pair.b.prompt_sha256
            for pair in pairs
            if isinstance(pair.a, Answered) and isinstance(pair.b, Answered)
        ),
        provenance=provenance(a, b, phase),
    )


def _flip(pair: Pair) -> Flip:
    return Flip(pair.a.task, pair.a.family, pair.a.gold, _scores(pair.a), _scores(pair.b))


def _scores(line: Answered | Failed) -> Scores:
    if isinstance(line, Failed):
        return Scores(line.error, right=False, probabilities={})
    shares = dict(zip(line.option_ids, line.probabilities, strict=True))
    return Scores(line.choice, line.correct, shares)
