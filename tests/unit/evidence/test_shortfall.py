"""Why there is no threshold, and how many labels are missing."""

import math

import pytest

from decision_client.identity import Runtime
from evidence.calibration.bounds import shown
from evidence.calibration.cases import Case
from evidence.calibration.rules import ActRule, Target
from evidence.calibration.sequence import fixed_sequence
from evidence.calibration.shortfall import Shortfall, shortfall

CPU, GPU = (Runtime(backend=name, layers_offloaded=0, serving_path="canonical") for name in ("cpu", "gpu"))
RULE = ActRule(Target(0.1, 0.95), 0.5, 0.0)


def _cases(right: int, wrong: int = 0, below: int = 0, *, mass: float = 0.9) -> list[Case]:
    made = [Case(0.95, 0.9, mass, place < right, abstains=False) for place in range(right + wrong)]
    return [*made, *[Case(0.6, 0.2, mass, correct=False, abstains=False)] * below]


def _shortfall(threshold: float = 0.9, **runtimes: list[Case]) -> Shortfall | None:
    named = {{"cpu": CPU, "gpu": GPU}[name]: found for name, found in runtimes.items()}
    sequence = fixed_sequence(RULE, named, (threshold,))
    return shortfall(sequence, {where: len(found) for where, found in named.items()}, 0.7)


def test_nothing_is_missing_where_a_threshold_is_certified() -> None:
    """29 right answers are enough for 10 %."""
    assert _shortfall(cpu=_cases(29)) is None


@pytest.mark.parametrize("labels", [0, 5, 28])
def test_labels_that_are_missing_at_the_least_are_counted_with_those_that_fit(labels: int) -> None:
    """With 70 % certifying, one certifying label takes more than one label."""
    found = _shortfall(cpu=_cases(labels))
    assert found is not None
    assert (found.least, found.missing) == (29, math.ceil((29 - labels) / 0.7))


def test_labels_that_are_missing_at_this_rate_would_show_the_target() -> None:
    """With 3 of 60 wrong: as many more of the same, and the test is passed."""
    found = _shortfall(cpu=_cases(57, 3, below=40))
    assert found is not None
    assert found.missing is not None
    times = (100 + found.missing * 0.7) / 100
    assert shown(math.ceil(3 * times) - 1, math.floor(60 * times), 0.1, 0.95)
    assert "3 of 60 covered answers are wrong" in found.sentence
    # 6 of 116 are the first at this rate that pass: 56 more covered ones, of which 60 took 100 certifying labels.
    assert found.missing == math.ceil((116 / 60 - 1) * 100 / 0.7)


@pytest.mark.parametrize(
    ("cases", "threshold", "sentence"),
    [
        (_cases(50, 6), 0.9, "would not mend"),
        (_cases(1, 5), 0.9, "shown to be too many"),
        (_cases(905, 95), 0.9, "too close to the target"),
        (_cases(60, mass=0.1), 0.05, "none of 60 answers is covered (abstain option, mass, margin)"),
        (_cases(60), 0.99, "none of 60 answers is covered, though some were to be expected"),
    ],
)
def test_labels_of_the_same_kind_may_not_help(cases: list[Case], threshold: float, sentence: str) -> None:
    """As many wrong as allowed or nearly, or nothing covered at all: no number is given."""
    found = _shortfall(threshold, cpu=cases)
    assert found is not None
    assert found.missing is None
    assert sentence in found.sentence


def test_runtime_that_has_the_fewest_answers_is_the_one_that_misses_some() -> None:
    """A pool member without labels needs all of them."""
    found = _shortfall(cpu=_cases(200), gpu=_cases(1))
    assert found is not None
    assert found.missing == 40
