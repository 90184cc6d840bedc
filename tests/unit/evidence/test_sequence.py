"""Fixed-sequence testing: what is certified, and how often that is false."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom

from decision_client.identity import Runtime
from evidence.calibration.bounds import shown
from evidence.calibration.cases import Case, Cases
from evidence.calibration.rules import ActRule, ReviewRule, Rule, Target
from evidence.calibration.sequence import LATTICE, FixedSequence, fixed_sequence, grid, try_threshold

CPU, GPU = (Runtime(backend=name, layers_offloaded=0, serving_path="canonical") for name in ("cpu", "gpu"))
RULE = ActRule(Target(0.1, 0.95), 0.5, 0.0)


def _case(probability: float, *, correct: bool = True, mass: float = 0.9, abstains: bool = False) -> Case:
    return Case(probability, 2 * probability - 1, mass, correct, abstains)


CASES = st.lists(
    st.builds(_case, st.floats(0.5, 1), correct=st.booleans(), mass=st.floats(0, 1), abstains=st.booleans()),
    max_size=120,
)


@given(CASES)
def test_sequence_stops_at_the_first_threshold_that_is_not_shown(cases: list[Case]) -> None:
    """All before the last are shown, from the most conservative on, and only the last may not be."""
    found = fixed_sequence(RULE, {CPU: cases}, LATTICE)
    assert [each.threshold for each in found.tested] == list(LATTICE[: len(found.tested)])
    assert all(each.shown for each in found.tested[:-1])
    assert found.tested[-1].threshold == LATTICE[-1] or not found.tested[-1].shown
    assert (found.certified is None) == (not found.shown)


def test_sequence_certifies_the_largest_coverage_by_its_highest_threshold() -> None:
    """Of 60 right answers at 0.9 all are covered, and a threshold below them is not taken though it covers the same."""
    found = fixed_sequence(RULE, {CPU: [_case(0.9)] * 60}, LATTICE[10:])
    assert found.certified == 0.9
    assert found.shown == LATTICE[10:]
    assert found.at(0.9)[0].covered == 60


def test_sequence_counts_no_abstention_and_no_answer_of_little_mass() -> None:
    """Neither is acted upon, so neither is covered nor a risk."""
    outside = [_case(0.99, correct=False, abstains=True)] * 20 + [_case(0.99, correct=False, mass=0.1)] * 20
    found = fixed_sequence(RULE, {CPU: [*[_case(0.99)] * 29, *outside]}, (0.99,))
    assert (found.certified, found.tested[0].covered, found.tested[0].wrong) == (0.99, 29, 0)


def test_sequence_of_suggestions_counts_answers_of_little_mass() -> None:
    """A person sees them, so they are part of the review threshold's risk; abstentions are not."""
    rule = ReviewRule(Target(0.5, 0.95))
    seen = [_case(0.6, mass=0.1), _case(0.6, correct=False, mass=0.1), _case(0.6, abstains=True), _case(0.4)]
    (found,) = try_threshold(rule, {CPU: seen}, 0.5)
    assert (found.covered, found.wrong) == (2, 1)


def test_sequence_needs_every_runtime_to_pass_alone() -> None:
    """Many answers of one pool member do not speak for another with few, or with errors."""
    good, few, bad = [_case(0.99)] * 200, [_case(0.99)] * 28, [_case(0.99, correct=False)] * 40
    assert fixed_sequence(RULE, {CPU: good, GPU: good}, (0.99,)).certified == 0.99
    assert fixed_sequence(RULE, {CPU: good, GPU: few}, (0.99,)).certified is None
    assert fixed_sequence(RULE, {CPU: good, GPU: bad}, (0.99,)).certified is None
    assert fixed_sequence(RULE, {CPU: good, GPU: []}, (0.99,)).certified is None
    assert fixed_sequence(RULE, {}, (0.99,)).certified is None


@settings(max_examples=30)
@given(fitting=CASES, certifying=CASES)
def test_grid_does_not_look_at_the_certifying_answers(fitting: list[Case], certifying: list[Case]) -> None:
    """Other answers in the same number give the same grid, the lattice's end."""
    found = grid(RULE, {CPU: fitting}, {CPU: certifying})
    assert found == grid(RULE, {CPU: fitting}, {CPU: [_case(0.5, correct=False)] * len(certifying)})
    assert found == LATTICE[-len(found) :]


def test_grid_begins_where_one_error_is_affordable() -> None:
    """With a tenth of the fitting answers at 0.99 and 600 to certify, 60 are to be expected there: enough."""
    fitting = [*[_case(0.99)] * 10, *[_case(0.7)] * 90]
    assert grid(RULE, {CPU: fitting}, {CPU: [_case(0.5)] * 600})[0] == 0.99
    assert grid(RULE, {CPU: fitting}, {CPU: [_case(0.5)] * 100})[0] == 0.7
    assert grid(RULE, {CPU: fitting}, {CPU: [_case(0.5)] * 10})[0] == 0.7


Certify = Callable[[Rule, Cases, tuple[float, ...]], FixedSequence]
ROUNDS = 300
SCALE = (np.arange(20_000) + 0.5) / 20_000
TRUTHS = {
    "as wrong everywhere as just not allowed": np.full(len(SCALE), 0.899),
    "wrong a little less often the higher the score": 0.87 + 0.05 * SCALE,
    "certifiable": SCALE**0.15,
}


def _violations(truth: NDArray[np.float64], seed: int, certify: Certify = fixed_sequence) -> tuple[int, int]:
    """Count the samples that certify a false threshold, and those that certify one at all."""
    rule = ActRule(Target(0.1, 0.9), 0.0, 0.0)
    random = np.random.default_rng(seed)
    scores = 1 / 3 + 2 / 3 * SCALE
    false = certified = 0
    for _ in range(ROUNDS):
        places = random.integers(0, len(SCALE), 240)
        right = random.random(len(places)) < truth[places]
        made = [_case(float(score), correct=bool(ok)) for score, ok in zip(scores[places], right, strict=True)]
        fitting, certifying = {CPU: made[:120]}, {CPU: made[120:]}
        thresholds = grid(rule, fitting, certifying)
        found = certify(rule, certifying, thresholds).certified
        certified += found is not None
        false += found is not None and float(1 - truth[scores >= found].mean()) > rule.target.risk
    return false, certified


def _without_stop(rule: Rule, cases: Cases, thresholds: tuple[float, ...]) -> FixedSequence:
    """Take the lowest threshold that passes its own test."""
    passing = [each for each in thresholds if all(test.shown for test in try_threshold(rule, cases, each))]
    return FixedSequence(rule.target, (), min(passing, default=None))


@pytest.mark.rule(
    "A certified threshold is false in at most the stated share of samples",
    tool="scipy's exact binomial test, over simulated samples of known risk",
    emulated="",
)
@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
def test_risk_bound_is_violated_in_at_most_the_stated_share(truth: NDArray[np.float64]) -> None:
    """At a confidence of 90 %, at most 10 % of samples certify a threshold whose known risk is above the target."""
    false, _ = _violations(truth, seed=7)
    assert false <= binom.ppf(0.999, ROUNDS, 0.1), false


def test_risk_bound_needs_the_sequence_to_stop() -> None:
    """The lowest threshold that passes its own test is false more often than stated; the sequence's is not."""
    false, certified = _violations(TRUTHS["certifiable"], seed=8)
    greedy, _ = _violations(TRUTHS["certifiable"], seed=8, certify=_without_stop)
    assert certified > ROUNDS / 3
    assert false <= binom.ppf(0.999, ROUNDS, 0.1) < greedy


def test_bound_is_tight_where_the_risk_is_the_target() -> None:
    """At a risk of exactly the target, the test is passed nearly as often as the error probability allows."""
    passed = [wrong for wrong in range(201) if shown(wrong, 200, 0.1, 0.9)]
    assert 0.05 < binom.cdf(max(passed), 200, 0.1) <= 0.1


def test_grid_of_answers_that_no_threshold_covers_is_the_last_threshold() -> None:
    """That nothing is covered there says that probability is not the reason."""
    nothing = {CPU: [_case(0.99, mass=0.1)] * 50}
    assert grid(RULE, nothing, nothing) == LATTICE[-1:]
    assert grid(RULE, {}, nothing) == LATTICE[-1:]
