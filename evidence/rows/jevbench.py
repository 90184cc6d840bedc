"""JevBench's public task files, by that benchmark's own rules of correctness."""

from typing import Any

from decision_client.definition import Option, QuestionType
from decision_client.values import Frozen, Text
from evidence.rows.row import Place, State, levels, words
from evidence.task import Task, TieRule

NOTE = ""


class _Question(Frozen):
    type: QuestionType
    instructions: Any
    criteria: dict[str, Any] | list[Any] | None = None


class _Row(Frozen):
    id: Text
    family: Text
    group: Text
    split: Text
    state: State
    question: _Question
    labels: tuple[Text, ...]
    expected: Text | int
    provenance: Any = None


def matches(row: dict[str, Any]) -> bool:
    """Whether a row is of this format: nothing else has `labels` and `expected`."""
    return "labels" in row and "expected" in row


def task(row: dict[str, Any], _place: Place) -> Task:
    """Return the row's task: options in the order of `labels`, ties to the lexicographically smallest label.

    Raises:
        ValueError: It breaks a rule.
    """
    read = _Row.model_validate(row)
    described = {option.id: option for option in _described(read.question, read.labels)}
    if len(set(read.labels)) != len(read.labels) or set(described) != set(read.labels):
        raise ValueError("labels: are not those that question.criteria describes")
    return Task(
        id=read.id,
        family=read.family,
        type=read.question.type,
        state=read.state,
        question=words(read.question.instructions),
        options=tuple(described[label] for label in read.labels),
        gold=str(read.expected),
        tie_rule=TieRule.SMALLEST_LABEL,
    )


def _described(question: _Question, labels: tuple[str, ...]) -> tuple[Option, ...]:
    criteria = question.criteria
    match question.type:
        case "noul" if criteria is None or isinstance(criteria, dict):
            said = criteria or {}
            return (
                Option(id="no", description=words(said.get("false"), "No.")),
                Option(id="yes", description=words(said.get("true"), "Yes.")),
            )
        case "choice" if isinstance(criteria, dict):
            return tuple(Option(id=name, description=words(text, name)) for name, text in criteria.items())
        case "score" if isinstance(criteria, list):
            return levels(criteria)
    raise ValueError(f"question.criteria: are not those of a {question.type} with {len(labels)} labels")
