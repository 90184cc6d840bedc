"""How many decisions a second a run was answered in each of its phases, and by what."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decision_client.identity import Identity

if TYPE_CHECKING:
    from evidence.summary import Phase, Summary


@dataclass(frozen=True, slots=True)
class Throughput:
    """A phase's throughput.

    Attributes:
        phase: Its name in the results file.
        per_second: Decisions with a valid response, a second; those without one took their part of the time.
        identities: What answered; more than one, and the figure is of no single runtime.
        instances: How many were in service when the run looked, None if it did not; 0 if their number rose meanwhile.
    """

    phase: str
    per_second: float
    identities: tuple[Identity, ...]
    instances: int | None = None


def throughputs(summary: "Summary") -> list[Throughput]:
    """Return the throughput of each phase that was answered at all."""
    return [_throughput(summary, phase) for phase in summary.phases if phase.throughput]


def _throughput(summary: "Summary", phase: "Phase") -> Throughput:
    watched = phase.scale_outs
    rose = any(each.capacity_seconds is not None for each in watched)
    return Throughput(
        phase=phase.name,
        per_second=phase.throughput,
        identities=tuple(summary.identities[each.identity] for each in phase.figures),
        instances=(0 if rose else watched[-1].instances) if watched else None,
    )
