"""The synthetic evaluation files of the PyPI package strands-decider."""

from typing import Annotated, Any

from pydantic import Field

from decision_client.definition import Option, QuestionType
from decision_client.values import Frozen, Text
from evidence.rows.row import Place, State
from evidence.task import Task

NOTE = "labels made and checked by models, not by people"


class _Row(Frozen):
    kind: QuestionType
    state: State
    instructions: Text
    options: Annotated[tuple[tuple[Text, Text], ...], Field(min_length=2, max_length=16)]
    label: Annotated[int, Field(ge=0)]
    task: Text
    weight: float
    instruction_variants: tuple[Text, ...]


def matches(row: dict[str, Any]) -> bool:
    """Whether a row is of this format: a label that is an index, and variants of the instructions."""
    return {"kind", "label", "instruction_variants"} <= row.keys()


def task(row: dict[str, Any], place: Place) -> Task:
    """Return the row's task; its id is made of the file and the line, because rows have none.

    Raises:
        ValueError: It breaks a rule.
    """
    read = _Row.model_validate(row)
    if read.label >= len(read.options):
        raise ValueError("label: is no index of an option")
    options = tuple(Option(id=name, description=text) for name, text in read.options)
    return Task(
        id=f"{place.stem}-{place.line:04d}",
        family=read.task,
        type=read.kind,
        state=read.state,
        question=read.instructions,
        options=options,
        gold=options[read.label].id,
    )
