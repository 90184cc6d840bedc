"""How many decisions a second were answered in each phase of a run."""

from dataclasses import dataclass

from decision_client.identity import Identity
from evidence.records import Answered, Failed
from evidence.results import Results


@dataclass(frozen=True, slots=True)
class Throughput:
    """Answers of one phase over the seconds from its first request to its last answer or refusal.

    Attributes:
        phase: Its name in the results file.
        answered: Decisions with a valid response; those without one took their part of the time.
        seconds: How long the phase took, more than 0.
        identities: What answered; more than one, and the figure is of no single runtime.
        instances: How many were in service when the run looked, None if it did not; 0 if their number rose meanwhile.
    """

    phase: str
    answered: int
    seconds: float
    identities: tuple[Identity, ...]
    instances: int | None = None

    @property
    def per_second(self) -> float:
        """Decisions a second."""
        return self.answered / self.seconds


def throughputs(results: Results) -> list[Throughput]:
    """Return the throughput of each phase that was answered at all, in the order in which the phases began."""
    lines: dict[str, list[Answered | Failed]] = {}
    came: list[Answered | Failed] = [*results.answers, *results.failures]
    for line in sorted(came, key=lambda each: each.started_seconds):
        lines.setdefault(line.phase, []).append(line)
    found = [_throughput(results, phase, of_phase) for phase, of_phase in lines.items()]
    return [each for each in found if each.answered and each.seconds > 0]


def _throughput(results: Results, phase: str, lines: list[Answered | Failed]) -> Throughput:
    answers = [line for line in lines if isinstance(line, Answered)]
    begun = min(line.started_seconds for line in lines)
    ended = max(line.started_seconds + line.client_seconds for line in lines)
    digests = dict.fromkeys(answer.identity for answer in answers)
    watched = [each for each in results.scale_outs if each.phase == phase]
    rose = any(each.capacity_seconds is not None for each in watched)
    return Throughput(
        phase=phase,
        answered=len(answers),
        seconds=ended - begun,
        identities=tuple(results.identities[digest] for digest in digests),
        instances=(0 if rose else watched[-1].instances) if watched else None,
    )
