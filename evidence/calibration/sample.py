"""The answers of a run as calibration counts them: each task once."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from decision_client.definition import DefinitionReference, QuestionType
from decision_client.scores import calibrated, margin
from evidence.records import Answered, Failed
from evidence.results import ResultsError

Asked = TypeVar("Asked", Answered, Failed, Answered | Failed)


@dataclass(frozen=True, slots=True)
class Scored:
    """One answer with its label. `gold` and `chosen` are places in `option_logits`; `identity` is a digest."""

    task: str
    type: QuestionType
    definition: DefinitionReference | None
    option_logits: tuple[float, ...]
    gold: int
    chosen: int
    mass: float
    abstains: bool
    """Whether the abstain option was chosen, on which nothing is acted whatever its probability."""
    identity: str

    @property
    def correct(self) -> bool:
        """Whether the chosen option is the right one."""
        return self.chosen == self.gold

    def confidence(self, temperature: float = 1.0) -> float:
        """Return the chosen option's probability; at temperature 1 it is the one that the endpoint sent."""
        return calibrated(self.option_logits, temperature)[self.chosen]

    def margin(self, temperature: float = 1.0) -> float:
        """Return the distance of the two highest probabilities."""
        return margin(calibrated(self.option_logits, temperature))


@dataclass(frozen=True, slots=True)
class Missed:
    """A task that got no valid answer: nothing is acted upon, so it is covered by no threshold and no risk."""

    task: str
    type: QuestionType
    definition: DefinitionReference | None


def scored(answer: Answered) -> Scored:
    """Return what calibration needs of an answer.

    Raises:
        ResultsError: The label or the choice is none of the options.
    """
    try:
        gold, chosen = (answer.option_ids.index(each) for each in (answer.gold, answer.choice))
    except ValueError:
        raise ResultsError(f"task {answer.task}: gold or choice is none of the options") from None
    return Scored(
        task=answer.task,
        type=answer.type,
        definition=answer.definition,
        option_logits=answer.option_logits,
        gold=gold,
        chosen=chosen,
        mass=answer.allowed_token_mass,
        abstains=answer.choice == answer.abstain_option,
        identity=answer.identity,
    )


def once(lines: Iterable[Asked]) -> list[Asked]:
    """Return one line for each task, by task: as declared, the sequential phase before others, the first repeat.

    Repeats and rotations are no further evidence: they are the same text. A first attempt that failed is not replaced
    by a repeat that did not.
    """
    first: dict[str, Asked] = {}
    for line in sorted(lines, key=_order):
        if line.rotation == 0:
            first.setdefault(line.task, line)
    return [first[task] for task in sorted(first)]


def _order(line: Answered | Failed) -> tuple[bool, str, int]:
    return line.phase != "sequential", line.phase, line.repeat
