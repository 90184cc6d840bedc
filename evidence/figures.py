"""What one identity's answers come to: accuracy with intervals, seconds, tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evidence.pairs import once, right
from evidence.records import Answered, Failed
from evidence.results import Results
from evidence.statistics import Percentiles, Share, percentiles, share

Line = Answered | Failed


@dataclass(frozen=True, slots=True)
class Figures:
    """What one identity answered in one phase.

    Accuracy counts each task once, with its options as declared, the first time it was asked; a failure is wrong.
    Where several identities answered, a failure is nobody's, and each one's figures are of its own answers alone.
    Seconds and tokens are of every answer, repeats and rotations included; those of a failure are in none.

    Attributes:
        identity: The digest; empty where nothing was answered.
        valid: Valid responses among the tasks that accuracy counts.
        client: From the first attempt to the answer, waits included.
        forward: In the model.
        queue: In the container and not in the model.
        unstable: Tasks of which not every repeat chose the same option.
    """

    identity: str
    valid: Share
    accuracy: Share
    by_family: dict[str, Share]
    by_type: dict[str, Share]
    by_file: dict[str, Share]
    client: Percentiles | None
    forward: Percentiles | None
    queue: Percentiles | None
    input_tokens: Percentiles | None
    tokens: int
    unstable: int


def figures(results: Results, phase: str, answers: Sequence[Answered]) -> tuple[Figures, ...]:
    """Return the figures of a phase's answers, one for each identity; one without digest if there is no answer."""
    first = list(once(results, phase).values())
    digests = list(dict.fromkeys(line.identity for line in answers))
    if len(digests) < 2:  # noqa: PLR2004 - one identity, whose failures are its own
        return (_of(digests[0] if digests else "", first, answers),)
    return tuple(
        _of(
            digest,
            [line for line in first if isinstance(line, Answered) and line.identity == digest],
            [line for line in answers if line.identity == digest],
        )
        for digest in digests
    )


def _of(digest: str, first: Sequence[Line], answers: Sequence[Answered]) -> Figures:
    return Figures(
        identity=digest,
        valid=share(isinstance(line, Answered) for line in first),
        accuracy=share(map(right, first)),
        by_family=_split(first, lambda line: line.family),
        by_type=_split(first, lambda line: line.type),
        by_file=_split(first, lambda line: line.file),
        client=percentiles([line.client_seconds for line in answers]),
        forward=percentiles([line.forward_seconds for line in answers]),
        queue=percentiles([line.queue_seconds for line in answers]),
        input_tokens=percentiles([line.input_tokens for line in answers]),
        tokens=sum(line.input_tokens for line in answers),
        unstable=_unstable(answers),
    )


def _split(lines: Sequence[Line], name: Callable[[Line], str]) -> dict[str, Share]:
    names = dict.fromkeys(map(name, lines))
    return {each: share(right(line) for line in lines if name(line) == each) for each in names}


def _unstable(answers: Sequence[Answered]) -> int:
    choices: dict[tuple[str, int], set[str]] = {}
    for line in answers:
        choices.setdefault((line.task, line.rotation), set()).add(line.choice)
    return len({task for (task, _), chosen in choices.items() if len(chosen) > 1})
