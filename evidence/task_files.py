"""Files of labelled decisions, read and checked as a whole before anything is sent."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol

from decision_client.definition import DefinitionReference
from decision_client.errors import InvalidRequestError
from decision_client.request import Asked, request_body
from evidence.records import TaskFile
from evidence.rows import jevbench, native, strands_decider, typed_gguf
from evidence.rows.definitions import Definitions
from evidence.rows.line import parse, sentence
from evidence.rows.row import Place
from evidence.task import Task

_SHOWN: Final = 10


class TasksError(ValueError):
    """Task files break rules: a line for each broken row, with file, line and rule, without what the row says."""


class _Format(Protocol):
    NOTE: str

    def matches(self, row: dict[str, Any], /) -> bool: ...
    def task(self, row: dict[str, Any], place: Place, /) -> Task: ...


_FORMATS: Final[tuple[_Format, ...]] = (jevbench, strands_decider, typed_gguf, native)


@dataclass(frozen=True, slots=True)
class Labelled:
    """Tasks with ids that are unique over all files, and the files that they are from."""

    tasks: tuple[Task, ...]
    files: tuple[TaskFile, ...]


def read_tasks(
    files: Sequence[Path], definitions: Path | None = None, notes: Mapping[str, str] | None = None
) -> Labelled:
    """Read task files, each of the format that its first row has.

    Args:
        files: JSON lines.
        definitions: The folder of the definitions; without it `definitions` beside each file.
        notes: By a file's name what must be said wherever a figure from it is printed.

    Raises:
        TasksError: A row breaks a rule, or an id is there twice.
    """
    told = dict(notes or {})
    if unknown := sorted(told.keys() - {file.name for file in files}):
        raise TasksError(f"a note is for {unknown[0]}, which is none of the task files")
    reader = _Reader()
    found = tuple(reader.file(each, definitions or each.parent / "definitions", told.get(each.name)) for each in files)
    if broken := reader.broken:
        more = [f"and {len(broken) - _SHOWN} more"] if len(broken) > _SHOWN else []
        raise TasksError("\n".join(broken[:_SHOWN] + more))
    return Labelled(tuple(reader.tasks.values()), found)


@dataclass(slots=True)
class _Reader:
    """Tasks by id, where each stands, the wording of each definition's version, and what is wrong."""

    tasks: dict[str, Task] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    wordings: dict[tuple[str, str], str] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def file(self, file: Path, folder: Path, note: str | None) -> TaskFile:
        """Read one file; what is wrong with its rows is kept until all are read."""
        try:
            raw, definitions = file.read_bytes(), Definitions.of(folder)
        except OSError as error:
            raise TasksError(f"{file}: cannot be read: {error.strerror}") from None
        except ValueError as error:
            raise TasksError(str(error)) from None
        of_first: _Format | None = None
        lines = [(number, line) for number, line in enumerate(raw.split(b"\n"), start=1) if line.strip()]
        for number, line in lines:
            where = f"{file}:{number}"
            try:
                row = parse(line)
                of_first = of_first or next(each for each in _FORMATS if each.matches(row))
                task = of_first.task(row, Place(file.stem, number, definitions))
                self._keep(replace(task, file=file.name), where)
            except ValueError as error:
                self.broken.append(f"{where}: {sentence(error)}")
        if not lines:
            self.broken.append(f"{file}: has no rows")
        said = note or (of_first.NOTE if of_first else "")
        return TaskFile(name=file.name, sha256=hashlib.sha256(raw).hexdigest(), rows=len(lines), note=said)

    def _keep(self, task: Task, where: str) -> None:
        if task.gold not in task.wording.option_ids:
            raise ValueError("gold: is none of the declared options")
        try:
            request_body([Asked(task.id, task.state, task.wording)])
        except InvalidRequestError as error:
            raise ValueError(str(error)) from None
        if task.id in self.places:
            raise ValueError(f"id: {self.places[task.id]} has it too")
        if task.definition:
            self._worded_once(task.definition)
        self.tasks[task.id] = task
        self.places[task.id] = where

    def _worded_once(self, named: DefinitionReference) -> None:
        """Refuse a second wording of a version: figures by definition would be of two questions."""
        if self.wordings.setdefault((named.name, named.version), named.sha256) != named.sha256:
            raise ValueError("definition: another task file has another wording of the same version")
