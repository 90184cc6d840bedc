"""A labelled decision: what is asked, and which option is right."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from decision_client.definition import DecisionDefinition, DefinitionReference, Option, QuestionType

INLINE = "inline"


class TieRule(StrEnum):
    """Which of exactly equal options counts as chosen."""

    FIRST_DECLARED = "first_declared"
    SMALLEST_LABEL = "smallest_label"
    """The lexicographically smallest id: JevBench's rule."""


@dataclass(frozen=True, slots=True)
class Task:
    """One row of the task file `file`; `gold` is the id of the right option. Without a `definition` it words itself."""

    id: str
    family: str
    type: QuestionType
    state: Any
    question: str
    options: tuple[Option, ...]
    gold: str
    abstain_option: str | None = None
    definition: DefinitionReference | None = None
    tie_rule: TieRule = TieRule.FIRST_DECLARED
    file: str = ""

    def rotated(self, by: int) -> "Task":
        """Return the task with its options moved `by` places to the front; ids and gold stay."""
        places = by % len(self.options)
        return replace(self, options=self.options[places:] + self.options[:places])

    @property
    def wording(self) -> DecisionDefinition:
        """The question as it is asked; a row that words itself has the name `inline`, which no policy is bound to.

        Raises:
            pydantic.ValidationError: It could not be asked.
        """
        return DecisionDefinition(
            name=self.definition.name if self.definition else INLINE,
            version=self.definition.version if self.definition else "0",
            type=self.type,
            question=self.question,
            options=self.options,
            abstain_option=self.abstain_option,
        )
