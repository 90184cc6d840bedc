"""This project's own format: a row names a definition, or words its question itself."""

from typing import Annotated, Any

from pydantic import Field, model_validator

from decision_client.definition import DecisionDefinition, Option, QuestionType
from decision_client.values import Frozen, Name, Text, Version
from evidence.rows.row import Place, State
from evidence.task import INLINE, Task

NOTE = ""


class _Row(Frozen):
    id: Text
    family: Text | None = None
    type: QuestionType | None = None
    state: State
    gold: Text
    definition: Name | None = None
    version: Version | None = None
    question: Text | None = None
    options: Annotated[tuple[Option, ...], Field(min_length=2, max_length=16)] | None = None
    abstain_option: Text | None = None

    @model_validator(mode="after")
    def _one_wording(self) -> "_Row":
        if self.definition is None:
            if self.question is None or self.options is None:
                raise ValueError("a row has a definition, or a question and options")
            if self.version is not None:
                raise ValueError("version: belongs to a definition")
        elif not (self.question is None and self.options is None and self.abstain_option is None):
            raise ValueError("a row that names a definition has no question, options or abstain_option of its own")
        return self


def matches(row: dict[str, Any]) -> bool:
    """Whatever no other format claims is a native row, and judged as one."""
    return isinstance(row, dict)


def task(row: dict[str, Any], place: Place) -> Task:
    """Return the row's task.

    Raises:
        ValueError: It breaks a rule.
    """
    read = _Row.model_validate(row)
    if read.definition is None:
        worded = DecisionDefinition(
            name=INLINE,
            version="0",
            type=read.type or "choice",
            question=read.question or "",
            options=read.options or (),
            abstain_option=read.abstain_option,
        )
    else:
        worded = place.definitions.find(read.definition, read.version)
        if read.type not in {None, worded.type}:
            raise ValueError("type: differs from the definition's")
    return Task(
        id=read.id,
        family=read.family or worded.name,
        type=worded.type,
        state=read.state,
        question=worded.question,
        options=worded.options,
        gold=read.gold,
        abstain_option=worded.abstain_option,
        definition=worded.reference if read.definition else None,
    )
