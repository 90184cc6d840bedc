"""What the order of the options does: how often the choice changes with it, and what a place alone is worth."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from decision_client.definition import QuestionType
from evidence.calibration.bounds import interval
from evidence.calibration.sample import once
from evidence.records import Answered


@dataclass(frozen=True, slots=True)
class Place:
    """What the options at one place got on average, over tasks asked in every rotation.

    There every option stands at every place once, so that a model indifferent to order has 1 / `options` at each.
    """

    options: int
    place: int
    tasks: int
    probability: float
    chosen: float


@dataclass(frozen=True, slots=True)
class OrderSensitivity:
    """Of `tasks` asked in more than one order, `flipped` got more than one answer; `interval` is the exact 95 % one.

    Of `moved` answers with the options moved, `changed` differ from the one with the options as declared.
    """

    tasks: int
    flipped: int
    interval: tuple[float, float]
    moved: int
    changed: int
    places: tuple[Place, ...]

    @property
    def flip_rate(self) -> float:
        """The share of tasks whose answer depends on the order."""
        return self.flipped / self.tasks


def order_sensitivity(lines: Iterable[Answered]) -> OrderSensitivity | None:
    """Compare the rotations of each task within its first phase, repeat and identity; None if none has two orders."""
    everything = list(lines)
    declared = {line.task: line for line in once(everything)}
    rotations: dict[str, dict[int, Answered]] = defaultdict(dict)
    for line in everything:
        first = declared.get(line.task)
        if first is not None and _asked_of(line) == _asked_of(first):
            rotations[line.task][line.rotation] = line
    asked = {task: found for task, found in sorted(rotations.items()) if len(found) > 1}
    if not asked:
        return None
    changed = [
        sum(line.choice != declared[task].choice for line in found.values() if line.rotation)
        for task, found in asked.items()
    ]
    flipped = sum(each > 0 for each in changed)
    return OrderSensitivity(
        tasks=len(asked),
        flipped=flipped,
        interval=interval(flipped, len(asked)),
        moved=sum(len(found) - 1 for found in asked.values()),
        changed=sum(changed),
        places=_places(asked.values()),
    )


def order_by_type(lines: Iterable[Answered]) -> dict[QuestionType, OrderSensitivity]:
    """Compare the rotations of each question type's tasks; a type that was asked in one order alone is left out."""
    of_type: dict[QuestionType, list[Answered]] = defaultdict(list)
    for line in lines:
        of_type[line.type].append(line)
    found = {kind: order_sensitivity(of_type[kind]) for kind in sorted(of_type)}
    return {kind: order for kind, order in found.items() if order}


def _asked_of(line: Answered) -> tuple[str, int, str]:
    return line.phase, line.repeat, line.identity


def _places(asked: Iterable[dict[int, Answered]]) -> tuple[Place, ...]:
    complete: dict[int, list[Answered]] = defaultdict(list)
    for found in asked:
        options = len(found[0].option_ids)
        if len(found) == options:
            complete[options] += found.values()
    places = []
    for options, lines in sorted(complete.items()):
        probabilities = np.mean([line.probabilities for line in lines], axis=0)
        chosen = np.bincount([line.option_ids.index(line.choice) for line in lines], minlength=options) / len(lines)
        places += [
            Place(options, place, len(lines) // options, float(probabilities[place]), float(chosen[place]))
            for place in range(options)
        ]
    return tuple(places)
