"""What a policy's thresholds do with labelled answers: the client's own rule, applied to them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from decision_client.identity import Identity, Runtime
from decision_client.outcome import Action, judge
from decision_client.policy import Thresholds
from evidence.calibration.sample import Scored, once, scored
from evidence.records import Answered
from evidence.results import Results


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


def by_runtime(results: Results) -> dict[Runtime, list[Scored]]:
    """Return the answers of each runtime, each task once for each that answered it, by task."""
    lines: dict[Runtime, list[Answered]] = defaultdict(list)
    for line in results.answers:
        lines[results.identities[line.identity].runtime].append(line)
    return {runtime: [scored(line) for line in once(found)] for runtime, found in sorted(lines.items(), key=_order)}


def cases(answers: Mapping[Runtime, Iterable[Scored]], temperature: float) -> dict[Runtime, list[Case]]:
    """Return all cases at a temperature."""
    return {runtime: [case(each, temperature) for each in found] for runtime, found in answers.items()}


def identities(results: Results) -> list[Identity]:
    """Return the identity records that answers of a run carry."""
    used = {line.identity for line in results.answers}
    return [record for digest, record in sorted(results.identities.items()) if digest in used]


def _order(item: tuple[Runtime, list[Answered]]) -> str:
    return item[0].model_dump_json()
