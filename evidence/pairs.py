"""Two runs, task by task."""

from collections.abc import Iterable
from dataclasses import dataclass

from evidence.records import Answered, Failed
from evidence.results import Results


class ComparisonError(ValueError):
    """Two runs cannot be compared; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What two runs made of one task."""

    a: Answered | Failed
    b: Answered | Failed

    @property
    def flipped(self) -> bool:
        """Whether another option was chosen, or one of the two did not answer."""
        return _choice(self.a) != _choice(self.b)

    @property
    def lost(self) -> bool:
        """Whether A alone is right."""
        return right(self.a) and not right(self.b)

    @property
    def gained(self) -> bool:
        """Whether B alone is right."""
        return right(self.b) and not right(self.a)

    @property
    def identical(self) -> bool:
        """Whether the logits of the options are the same bits."""
        return logits(self.a) is not None and logits(self.a) == logits(self.b)


def right(line: Answered | Failed) -> bool:
    """Whether it is an answer, and the right one."""
    return isinstance(line, Answered) and line.correct


def logits(line: Answered | Failed) -> dict[str, float] | None:
    """Return each option's logit, or None where there is no answer."""
    if isinstance(line, Failed):
        return None
    return dict(zip(line.option_ids, line.option_logits, strict=True))


def phases(results: Results) -> list[str]:
    """Return the run's phases in the order of their first decisions."""
    lines = sorted((*results.answers, *results.failures), key=lambda line: line.started_seconds)
    return list(dict.fromkeys(line.phase for line in lines))


def common_phase(a: Results, b: Results, wanted: str | None = None) -> str:
    """Return A's first phase that B has too, or the one that is wanted.

    Raises:
        ComparisonError: There is none, or not this one.
    """
    of_a, of_b = phases(a), phases(b)
    common = [phase for phase in of_a if phase in of_b and wanted in (None, phase)]
    if not common:
        what = f"phase {wanted!r} is not in both runs" if wanted else "the runs have no phase in common"
        raise ComparisonError(f"{what}: A has {_named(of_a)}, B has {_named(of_b)}")
    return common[0]


def once(results: Results, phase: str, repeat: int = 0) -> dict[str, Answered | Failed]:
    """Return one line for each task of a phase: options as declared, one repeat; an answer replaces a failure."""
    lines: Iterable[Answered | Failed] = (*results.failures, *results.answers)
    return {line.task: line for line in lines if (line.phase, line.repeat, line.rotation) == (phase, repeat, 0)}


def paired(a: dict[str, Answered | Failed], b: dict[str, Answered | Failed]) -> list[Pair]:
    """Pair what both runs were asked, in A's order.

    Raises:
        ComparisonError: They share no task, or do not agree on which option of a task is right.
    """
    pairs = [Pair(line, b[task]) for task, line in a.items() if task in b]
    if not pairs:
        raise ComparisonError("the runs have no task in common")
    for pair in pairs:
        if pair.a.gold != pair.b.gold:
            raise ComparisonError(f"task {pair.a.task!r}: the runs do not agree on which option is right")
    return pairs


def one_identity(name: str, lines: Iterable[Answered | Failed]) -> str | None:
    """Return the digest of what answered, or None where nothing did.

    Raises:
        ComparisonError: More than one did.
    """
    found = {line.identity for line in lines if isinstance(line, Answered)}
    if len(found) > 1:
        raise ComparisonError(f"{name}: {len(found)} identities answered, and figures that mix them mean nothing")
    return next(iter(found), None)


def _choice(line: Answered | Failed) -> str | None:
    return line.choice if isinstance(line, Answered) else None


def _named(names: list[str]) -> str:
    return ", ".join(names) or "none"
