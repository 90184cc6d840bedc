"""What a policy's thresholds do with labelled answers: the client's own rule, applied to them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from decision_client.identity import Runtime
from decision_client.outcome import Action, judge
from decision_client.policy import Thresholds
from evidence.calibration.sample import Scored


@dataclass(frozen=True, slots=True)
class Case:
    """A labelled answer as `judge` sees it: calibrated probability and margin, and mass."""

    probability: float
    margin: float
    mass: float
    correct: bool
    abstains: bool

    def acted_upon(self, thresholds: Thresholds) -> bool:
        """Say whether the client acts; on the abstain option it never does."""
        return not self.abstains and self._action(thresholds) is Action.ACT

    def suggested(self, thresholds: Thresholds) -> bool:
        """Say whether the client acts, or has a person review the answer as a suggestion."""
        return not self.abstains and self._action(thresholds) is not Action.ABSTAIN

    def _action(self, thresholds: Thresholds) -> Action:
        return judge(thresholds, self.probability, mass=self.mass, distance=self.margin)[0]


Cases = Mapping[Runtime, Sequence[Case]]
"""The cases of each runtime. A threshold is shown to hold if it is shown on every one of them alone."""


def case(answer: Scored, temperature: float) -> Case:
    """Return an answer as the client would judge it at a temperature."""
    return Case(
        probability=answer.confidence(temperature),
        margin=answer.margin(temperature),
        mass=answer.mass,
        correct=answer.correct,
        abstains=answer.abstains,
    )


def cases(answers: Mapping[Runtime, Iterable[Scored]], temperature: float) -> dict[Runtime, list[Case]]:
    """Return all cases at a temperature."""
    return {runtime: [case(each, temperature) for each in found] for runtime, found in answers.items()}
