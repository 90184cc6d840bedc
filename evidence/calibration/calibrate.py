"""From the results of a run to temperatures, figures and certified thresholds."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from decision_client.definition import QuestionType
from decision_client.policy import Binding
from evidence.calibration.cases import by_runtime, identities
from evidence.calibration.group import Group, group
from evidence.calibration.order import OrderSensitivity, order_sensitivity
from evidence.calibration.plan import CalibrationError, Plan
from evidence.calibration.sample import Scored, once, scored
from evidence.calibration.temperature import Temperature, cross_validated
from evidence.records import Answered, Failed, Run
from evidence.results import Results


@dataclass(frozen=True, slots=True)
class Kind:
    """One question type: its temperature, fitted on the fitting tasks of all its definitions, and its order."""

    temperature: Temperature
    order: OrderSensitivity | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Everything that one run supports."""

    plan: Plan
    run: Run
    binding: Binding
    kinds: dict[QuestionType, Kind]
    groups: tuple[Group, ...]


def calibrate(results: Results, plan: Plan) -> Calibration:
    """Fit, measure and certify.

    Raises:
        CalibrationError: There is no answer, or there are answers of models, images or libraries that no one policy can
            name.
    """
    binding = _binding(results)
    lines: list[Answered | Failed] = [*results.answers, *results.failures]
    counted = once(lines)
    answers = [scored(line) for line in counted if isinstance(line, Answered)]
    kinds = {kind: _kind(kind, answers, results, plan) for kind in sorted({each.type for each in answers})}
    groups: dict[tuple[str, str, QuestionType], list[Answered | Failed]] = defaultdict(list)
    for line in counted:
        reference = line.definition
        name, sha256 = (reference.name, reference.sha256) if reference else ("", "")
        groups[name, sha256, line.type].append(line)
    runtimes = by_runtime(results)
    found = [
        group(of_group, runtimes, kinds[kind].temperature.value, plan)
        for (_, _, kind), of_group in sorted(groups.items())
        if kind in kinds
    ]
    return Calibration(plan, results.run, binding, kinds, tuple(found))


def _binding(results: Results) -> Binding:
    bindings = {Binding.of(identity) for identity in identities(results)}
    if not bindings:
        raise CalibrationError("there is no answer to calibrate with")
    first, *others = sorted(bindings, key=Binding.model_dump_json)
    for other in others:
        names = ", ".join(name for name in Binding.model_fields if getattr(first, name) != getattr(other, name))
        raise CalibrationError(f"the answers differ in {names}, and a policy is for one: calibrate a run of each")
    return first


def _kind(kind: QuestionType, answers: Sequence[Scored], results: Results, plan: Plan) -> Kind:
    fitting = [each for each in answers if each.type == kind and not plan.certifies(each.task)]
    return Kind(cross_validated(fitting), order_sensitivity(line for line in results.answers if line.type == kind))
