"""The development set of the PyPI package typed-gguf."""

from typing import Any

from decision_client.definition import Option, QuestionType
from decision_client.values import Frozen, Text
from evidence.rows.row import Place, State, levels, words
from evidence.task import Task

NOTE = ""


class _Row(Frozen):
    id: Text
    type: QuestionType
    state: State
    instructions: Text
    criteria: dict[str, Any] | list[Any]
    gold: Text | bool | int
    note: str = ""
    provenance: str = ""


def matches(row: dict[str, Any]) -> bool:
    """Whether a row is of this format: its own word for the question, and a gold answer."""
    return {"instructions", "criteria", "gold"} <= row.keys()


def task(row: dict[str, Any], place: Place) -> Task:
    """Return the row's task, options in the order of `criteria`.

    Raises:
        ValueError: It breaks a rule.
    """
    read = _Row.model_validate(row)
    if isinstance(read.criteria, list) != (read.type == "score"):
        raise ValueError(f"criteria: are not those of a {read.type}")
    if isinstance(read.criteria, list):
        options = levels(read.criteria)
    else:
        options = tuple(Option(id=name, description=words(text, name)) for name, text in read.criteria.items())
    gold = str(read.gold).lower() if isinstance(read.gold, bool) else str(read.gold)
    return Task(read.id, place.stem, read.type, read.state, read.instructions, options, gold)
