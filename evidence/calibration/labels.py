"""Corrected labels of a run's results."""

import hashlib
from pathlib import Path

from pydantic import ValidationError

from decision_client.values import Frozen, Text
from evidence.calibration.errors import CalibrationError
from evidence.records import TaskFile
from evidence.results import Results


class _Label(Frozen):
    task: Text
    gold: Text


def relabelled(results: Results, labels: Path) -> Results:
    """Return results with some labels replaced.

    Args:
        results: A run.
        labels: JSON lines of `task` and `gold`, the right option; the file is named among the run's, by its digest.

    Raises:
        CalibrationError: A line is no label, names a task or an option that is not there, or repeats a task.
    """
    options: dict[str, set[str]] = {line.task: set() for line in results.failures}
    options |= {line.task: set(line.option_ids) for line in results.answers}
    gold: dict[str, str] = {}
    content = _content(labels)
    for where, label in _labels(labels, content):
        if label.task in gold:
            raise CalibrationError(f"{where}: the task has a label already")
        if label.task not in options:
            raise CalibrationError(f"{where}: no such task was asked")
        if options[label.task] and label.gold not in options[label.task]:
            raise CalibrationError(f"{where}: gold is none of the options that were asked")
        gold[label.task] = label.gold

    answers = [line.model_copy(update={"gold": gold.get(line.task, line.gold)}) for line in results.answers]
    failures = [line.model_copy(update={"gold": gold.get(line.task, line.gold)}) for line in results.failures]
    answers = [line.model_copy(update={"correct": line.choice == line.gold}) for line in answers]
    digest = hashlib.sha256(content.encode()).hexdigest()
    corrected = TaskFile(name=labels.name, sha256=digest, rows=len(gold), note="replaces labels of the run")
    run = results.run.model_copy(update={"tasks": (*results.run.tasks, corrected)})
    return Results(run, results.identities, answers, failures)


def _content(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CalibrationError(f"{file}: cannot be read: {type(error).__name__}") from None


def _labels(file: Path, content: str) -> list[tuple[str, _Label]]:
    found = []
    for number, line in enumerate(content.split("\n"), start=1):
        if line.strip():
            try:
                found.append((f"{file}:{number}", _Label.model_validate_json(line)))
            except ValidationError as error:
                raise CalibrationError(f"{file}:{number}: {error.errors()[0]['msg']}") from None
    return found
