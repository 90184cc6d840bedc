"""From labelled decisions to temperatures, figures and certified thresholds."""

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from decision_client.definition import QuestionType
from evidence.calibration.figures import Figures, figures
from evidence.calibration.group import Group, group
from evidence.calibration.labelled import Labelled
from evidence.calibration.order import OrderSensitivity
from evidence.calibration.plan import Plan
from evidence.calibration.temperature import Temperature, cross_validated

if TYPE_CHECKING:
    from evidence.calibration.sample import Missed, Scored


@dataclass(frozen=True, slots=True)
class Kind:
    """One question type: its temperature, fitted on the fitting tasks of all its definitions, and its order.

    `at_1` and `unseen` are the figures of its certifying answers, at temperature 1 and at the type's.
    """

    temperature: Temperature
    at_1: Figures | None
    unseen: Figures | None
    order: OrderSensitivity | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Everything that labelled decisions support."""

    plan: Plan
    labelled: Labelled
    kinds: dict[QuestionType, Kind]
    groups: tuple[Group, ...]


def calibrate(labelled: Labelled, plan: Plan) -> Calibration:
    """Fit, measure and certify."""
    everything: list[Scored | Missed] = [*labelled.answers, *labelled.missed]
    kinds = {}
    # A type of which nothing was answered has no figures, and its definitions have no threshold all the same.
    for kind in sorted({each.type for each in everything}):
        mine = [each for each in labelled.answers if each.type == kind]
        temperature = cross_validated([each for each in mine if not plan.certifies(each.task)])
        unseen = [each for each in mine if plan.certifies(each.task)]
        at_1, at_its_own = (figures(unseen, value) if unseen else None for value in (1.0, temperature.value))
        kinds[kind] = Kind(temperature, at_1, at_its_own, labelled.orders.get(kind))
    lines: dict[tuple[str, str, QuestionType], list[Scored | Missed]] = defaultdict(list)
    for line in everything:
        reference = line.definition
        name, sha256 = (reference.name, reference.sha256) if reference else ("", "")
        lines[name, sha256, line.type].append(line)
    groups = [
        group(found, labelled, kinds[kind].temperature.value, plan) for (_, _, kind), found in sorted(lines.items())
    ]
    return Calibration(plan, labelled, kinds, tuple(groups))
