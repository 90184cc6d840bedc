"""What must be said beside a comparison: notes on labels, task files that are not the same, runs that ended early."""

from dataclasses import dataclass

from evidence.results import Results
from evidence.summary import unasked


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A name of task files, and the SHA-256 of those that either run was asked; more than one if folders differ."""

    name: str
    a: tuple[str, ...]
    b: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Provenance:
    """What two runs were asked.

    Attributes:
        notes: What must be said wherever a figure of either run is printed: a task file's name, and the note.
        files: Task files that are not the same in both runs.
        unasked_a: Decisions of the phase that A, if it ended early, did not come to.
        unasked_b: Those of B.
    """

    notes: tuple[tuple[str, str], ...]
    files: tuple[ChangedFile, ...]
    unasked_a: int
    unasked_b: int


def provenance(a: Results, b: Results, phase: str) -> Provenance:
    """Put two runs' task files side by side."""
    every = (*a.run.tasks, *b.run.tasks)
    named = (ChangedFile(name, _digests(a, name), _digests(b, name)) for name in dict.fromkeys(f.name for f in every))
    return Provenance(
        notes=tuple(dict.fromkeys((file.name, file.note) for file in every if file.note)),
        files=tuple(each for each in named if each.a != each.b),
        unasked_a=unasked(a).get(phase, 0),
        unasked_b=unasked(b).get(phase, 0),
    )


def _digests(results: Results, name: str) -> tuple[str, ...]:
    return tuple(sorted(file.sha256 for file in results.run.tasks if file.name == name))
