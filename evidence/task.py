"""A labelled decision: what is asked, and which option is right."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from decision_client.definition import DefinitionReference, Option, QuestionType


class TieRule(StrEnum):
    """Which of exactly equal options counts as chosen."""

    FIRST_DECLARED = "first_declared"
    SMALLEST_LABEL = "smallest_label"
    """The lexicographically smallest id: JevBench's rule."""


@dataclass(frozen=True, slots=True)
class Task:
    """One row of a task file. `gold` is the id of the right option; `definition` is None where the row words itself."""

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

    def rotated(self, by: int) -> "Task":
        """Return the task with its options moved `by` places to the front; ids and gold stay."""
        places = by % len(self.options)
        options = self.options[places:] + self.options[:places]
        return Task(
            self.id,
            self.family,
            self.type,
            self.state,
            self.question,
            options,
            self.gold,
            self.abstain_option,
            self.definition,
            self.tie_rule,
        )
