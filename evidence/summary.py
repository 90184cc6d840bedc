"""The figures of a run, phase by phase. Nothing is averaged over answers of different identities."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pydantic import TypeAdapter

from decision_client.identity import Identity
from evidence.exchange import NOT_BEGUN
from evidence.figures import Figures, Line, figures
from evidence.pairs import phases
from evidence.records import Failed, Run, ScaleOut
from evidence.results import Results


@dataclass(frozen=True, slots=True)
class Phase:
    """What happened in one phase. Requests are those that were sent at least once; a shared one counts once.

    Attributes:
        decisions: Tasks, times repeats, times rotations.
        answered: Decisions with a valid response.
        errors: Decisions without one, by the client's exception, the status and the container's code.
        rejections: Attempts that were refused for lack of capacity.
        not_begun: Requests of an open loop for which too many were outstanding.
        amplification: Attempts for each request.
        seconds: From the first request's begin to the last one's end.
        throughput: Decisions answered in a second.
        latest_seconds: The longest that a request of an open loop began after its time.
        figures: One for each identity, in the order of their first answers.
    """

    name: str
    decisions: int
    answered: int
    errors: dict[str, int]
    requests: int
    attempts: int
    rejections: int
    retries: int
    not_begun: int
    amplification: float
    seconds: float
    throughput: float
    latest_seconds: float
    figures: tuple[Figures, ...]
    scale_outs: tuple[ScaleOut, ...]

    @property
    def mixed(self) -> bool:
        """Whether answers of different identities are in it, over which nothing may be averaged."""
        return len(self.figures) > 1


@dataclass(frozen=True, slots=True)
class Summary:
    """A run: what was asked of whom, each phase, every identity record by its digest.

    Attributes:
        notes: What must be said wherever a figure of this run is printed, by task file.
        superseded: Failures that a resumed run asked again.
        unasked: Decisions that a run which ended early did not come to, by phase; empty if it is complete.
    """

    run: Run
    notes: dict[str, str]
    phases: tuple[Phase, ...]
    identities: dict[str, Identity]
    superseded: int
    unasked: dict[str, int]

    @property
    def mixed(self) -> bool:
        """Whether different identities answered; if each phase has one, the phases compare with care only."""
        return len({each.identity for phase in self.phases for each in phase.figures if each.identity}) > 1


DOCUMENT: TypeAdapter[Summary] = TypeAdapter(Summary)
"""A summary as JSON."""


def summarize(results: Results) -> Summary:
    """Return the figures of a run."""
    return Summary(
        run=results.run,
        notes={file.name: file.note for file in results.run.tasks if file.note},
        phases=tuple(_phase(results, name) for name in phases(results)),
        identities=results.identities,
        superseded=results.superseded,
        unasked=unasked(results),
    )


def unasked(results: Results) -> dict[str, int]:
    """Return how many decisions a run that ended early did not come to, by phase; nothing for a complete one."""
    asked = Counter(line.phase for line in (*results.answers, *results.failures))
    left = {phase: number - asked[phase] for phase, number in results.run.decisions.items()}
    return {phase: number for phase, number in left.items() if number > 0}


def _phase(results: Results, name: str) -> Phase:
    answers = [line for line in results.answers if line.phase == name]
    failures = [line for line in results.failures if line.phase == name]
    lines: list[Line] = [*answers, *failures]
    sent = [line for line in lines if line.attempts]
    requests, attempts = _requests(sent, lambda _line: 1), _requests(sent, lambda line: line.attempts)
    seconds = max(line.started_seconds + line.client_seconds for line in lines) - min(
        line.started_seconds for line in lines
    )
    return Phase(
        name=name,
        decisions=len(lines),
        answered=len(answers),
        errors=dict(Counter(_error(line) for line in failures).most_common()),
        requests=requests,
        attempts=attempts,
        rejections=_requests(sent, lambda line: line.rejections),
        retries=attempts - requests,
        not_begun=_requests([line for line in failures if line.error == NOT_BEGUN], lambda _line: 1),
        amplification=attempts / requests if requests else 0.0,
        seconds=seconds,
        throughput=len(answers) / seconds if seconds else 0.0,
        latest_seconds=max(line.late_seconds for line in lines),
        figures=figures(results, name, answers),
        scale_outs=tuple(each for each in results.scale_outs if each.phase == name),
    )


def _requests(lines: Iterable[Line], of: Callable[[Line], int]) -> int:
    # Each decision of a shared request has a line with the whole request's numbers.
    return round(sum(of(line) / line.shared for line in lines))


def _error(line: Failed) -> str:
    return " ".join(filter(None, (line.error, str(line.status or ""), line.code)))
