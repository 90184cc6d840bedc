"""What a run asks, and in which order: phases, each a list of requests."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import TypeAlias

from evidence.records import Key
from evidence.task import Task


@dataclass(frozen=True, slots=True)
class Item:
    """One decision of a run: a task with its options moved `rotation` places, for the `repeat`th time."""

    task: Task
    phase: str
    repeat: int
    rotation: int

    @property
    def key(self) -> Key:
        """What is answered once, as the lines of a results file have it."""
        return self.phase, self.task.id, self.repeat, self.rotation


Request: TypeAlias = tuple[Item, ...]
"""Decisions that are sent together, all about one state."""


@dataclass(frozen=True, slots=True)
class Closed:
    """A number of clients, each of which asks again as soon as it has its answer; one alone is sequential."""

    name: str
    clients: int


@dataclass(frozen=True, slots=True)
class Open:
    """Requests that begin at fixed times, `rate` a second for `duration_seconds`, whatever is outstanding."""

    name: str
    rate: float
    duration_seconds: float

    @property
    def requests(self) -> int:
        """How many begin."""
        return max(1, round(self.rate * self.duration_seconds))


SEQUENTIAL = Closed("sequential", 1)


def closed(clients: int) -> Closed:
    """Return the phase of that many clients."""
    return Closed(f"closed-{clients}", clients)


def opened(rate: float, duration_seconds: float) -> Open:
    """Return the phase of that rate."""
    return Open(f"open-{rate:g}", rate, duration_seconds)


def requests(phase: Closed | Open, tasks: Sequence[Task], repeat: int, rotations: int, together: int) -> list[Request]:
    """Return a phase's requests.

    Every task comes once before any comes again, so that what the container keeps of earlier states helps a repetition
    no more than it must. An open loop goes round until its time is over, so its repetitions are its rounds.

    Args:
        phase: Closed or open.
        tasks: At least one.
        repeat: How often a closed phase asks each.
        rotations: In how many orders each task's options are asked, at most as many as it has.
        together: Most decisions of one request; tasks with equal states are sent together if it is more than 1.
    """
    if isinstance(phase, Open):
        rounds = (one for repeat in count() for one in _round(phase.name, tasks, repeat, rotations, together))
        return list(islice(rounds, phase.requests))
    return [one for each in range(repeat) for one in _round(phase.name, tasks, each, rotations, together)]


def _round(phase: str, tasks: Sequence[Task], repeat: int, rotations: int, together: int) -> Iterator[Request]:
    for rotation in range(rotations):
        turned = [task for task in tasks if rotation < len(task.options)]
        items = [Item(task.rotated(rotation), phase, repeat, rotation) for task in turned]
        yield from _grouped(items, together) if together > 1 else ((item,) for item in items)


def _grouped(items: Sequence[Item], together: int) -> Iterator[Request]:
    # States are equal where their JSON texts are, as the container compares them.
    by_state: dict[str, list[Item]] = {}
    for item in items:
        by_state.setdefault(json.dumps(item.task.state, ensure_ascii=False), []).append(item)
    for group in by_state.values():
        for start in range(0, len(group), together):
            yield tuple(group[start : start + together])
