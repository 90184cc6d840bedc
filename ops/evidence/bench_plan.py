"""The options of `ops bench` as a plan and a header, or the sentence that refuses them."""

import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from config.rules import ConfigurationError
from evidence.benchmark import Plan
from evidence.plan import SEQUENTIAL, Closed, Open, closed, opened
from evidence.records import Run
from evidence.task_files import Labelled, read_tasks

MOST_CLIENTS: Final = 256
MOST_REQUESTS: Final = 1_000_000
"""Of an open loop: they are planned before the first is sent."""


@dataclass(frozen=True)
class Asked:
    """What the command's options say."""

    tasks: tuple[Path, ...]
    definitions: Path | None
    notes: tuple[str, ...]
    sequential: bool
    concurrency: tuple[str, ...]
    rate: float | None
    duration_seconds: float | None
    shared: bool
    repeat: int
    rotations: int
    deadline_seconds: float


def labelled(asked: Asked) -> Labelled:
    """Read all task files.

    Raises:
        ConfigurationError: A note is none, or a folder has no task files.
        TasksError: A row breaks a rule.
    """
    notes = dict(_note(each) for each in asked.notes)
    return read_tasks([file for each in asked.tasks for file in _files(each)], asked.definitions, notes)


def plan(asked: Asked, tasks: Labelled, together: int) -> Plan:
    """Return what is asked in which order.

    Args:
        asked: The options.
        tasks: What they name.
        together: Most decisions that the target takes in one request.

    Raises:
        ConfigurationError: The options contradict each other.
    """
    return Plan(_phases(asked), tasks.tasks, asked.repeat, asked.rotations, together if asked.shared else 1)


def header(target: str, asked: Asked, made: Plan, tasks: Labelled) -> Run:
    """Return the first line of the results file; its settings are all that a resumed run has to have in common."""
    wordings = {task.definition for task in tasks.tasks if task.definition}
    settings: dict[str, Any] = {
        "phases": [phase.name for phase in made.phases],
        "duration_seconds": asked.duration_seconds,
        "repeat": made.repeat,
        "rotations": made.rotations,
        "together": made.together,
        "deadline_seconds": asked.deadline_seconds,
        "definitions": {f"{each.name} {each.version}": each.sha256 for each in sorted(wordings, key=str)},
    }
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Run(
        id=uuid.uuid4().hex,
        target=target,
        started=now,
        tasks=tasks.files,
        settings=settings,
        decisions={phase.name: sum(map(len, made.of(phase))) for phase in made.phases},
    )


def _files(path: Path) -> Sequence[Path]:
    if not path.is_dir():
        return [path]
    if found := sorted(path.glob("*.jsonl")):
        return found
    raise ConfigurationError(f"--tasks: {path} has no *.jsonl")


def _note(text: str) -> tuple[str, str]:
    name, is_one, note = text.partition("=")
    if not (name and is_one and note):
        raise ConfigurationError("--note: is FILE=TEXT, with a task file's name")
    return name, note


def _phases(asked: Asked) -> tuple[Closed | Open, ...]:
    if (asked.rate is None) != (asked.duration_seconds is None):
        raise ConfigurationError("--rate and --duration: an open loop has both")
    phases: list[Closed | Open] = [closed(clients) for clients in _clients(asked.concurrency)]
    if asked.rate is not None and asked.duration_seconds is not None:
        phases.append(_open_loop(asked.rate, asked.duration_seconds))
    return tuple([SEQUENTIAL, *phases] if asked.sequential or not phases else phases)


def _open_loop(rate: float, duration_seconds: float) -> Open:
    if not (0 < rate < math.inf and 0 < duration_seconds < math.inf):
        raise ConfigurationError("--rate and --duration: are greater than 0 and finite")
    if rate * duration_seconds > MOST_REQUESTS:
        raise ConfigurationError(f"--rate and --duration: make more than {MOST_REQUESTS} requests")
    return opened(rate, duration_seconds)


def _clients(texts: Sequence[str]) -> list[int]:
    try:
        numbers = [int(each) for text in texts for each in text.split(",")]
    except ValueError:
        numbers = [0]
    if not all(1 <= each <= MOST_CLIENTS for each in numbers) or len(set(numbers)) < len(numbers):
        raise ConfigurationError(f"--concurrency: is different numbers from 1 to {MOST_CLIENTS}, such as 1 4 16")
    return numbers
