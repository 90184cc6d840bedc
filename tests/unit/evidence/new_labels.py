"""Labels that are new to a policy: other tasks, or a task file that it does not know."""

from dataclasses import replace

from evidence.calibration.labelled import Labelled, of_results
from evidence.records import Answered
from tests.unit.evidence.synthetic import results


def renamed(answers: list[Answered], prefix: str) -> list[Answered]:
    """The same answers to tasks of other names."""
    return [each.model_copy(update={"task": f"{prefix}-{each.task}"}) for each in answers]


def new_labels(lines: list[Answered]) -> Labelled:
    """Labels from a task file that the policy does not know."""
    found = of_results(results(lines))
    return replace(found, files=(found.files[0].model_copy(update={"sha256": "0" * 64}),))
