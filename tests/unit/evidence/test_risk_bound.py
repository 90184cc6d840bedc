"""How often a certified threshold is false, over samples whose risk is known; and that looser rules would show here."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, norm

from decision_client.identity import Runtime
from evidence.calibration.bounds import shown
from evidence.calibration.cases import Case, Cases
from evidence.calibration.rules import ActRule, Rule, Target
from evidence.calibration.sequence import FixedSequence, Trial, fixed_sequence, grid, try_threshold

CPU = Runtime(backend="cpu", layers_offloaded=0, serving_path="canonical")
Certify = Callable[[Rule, Cases, tuple[float, ...]], FixedSequence]
ROUNDS, TARGET = 300, Target(0.1, 0.9)
MOST = binom.ppf(0.999, ROUNDS, 1 - TARGET.confidence)
"""So many false ones are seldom exceeded at the stated share."""
SCALE = (np.arange(20_000) + 0.5) / 20_000
SCORES = 1 / 3 + 2 / 3 * SCALE
TRUTHS = {
    "as wrong everywhere as just not allowed": np.full(len(SCALE), 0.899),
    "wrong a little less often the higher the score": 0.87 + 0.05 * SCALE,
    "certifiable": SCALE**0.15,
}


def _violations(truth: NDArray[np.float64], seed: int, certify: Certify = fixed_sequence) -> tuple[int, int]:
    """Count the samples that certify a false threshold, and those that certify one at all."""
    rule = ActRule(TARGET, 0.0, 0.0)
    random = np.random.default_rng(seed)
    false = certified = 0
    for _ in range(ROUNDS):
        places = random.integers(0, len(SCALE), 240)
        right = random.random(len(places)) < truth[places]
        pairs = zip(SCORES[places].tolist(), right.tolist(), strict=True)
        made = [Case(score, 2 * score - 1, 0.9, ok, abstains=False) for score, ok in pairs]
        fitting, certifying = {CPU: made[:120]}, {CPU: made[120:]}
        found = certify(rule, certifying, grid(rule, fitting, certifying)).certified
        certified += found is not None
        false += found is not None and float(1 - truth[found <= SCORES].mean()) > TARGET.risk
    return false, certified


@pytest.mark.rule(
    "A certified threshold is false in at most the stated share of samples",
    tool="scipy's exact binomial test, over simulated samples of known risk",
    emulated="",
)
@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
def test_risk_bound_is_violated_in_at_most_the_stated_share(truth: NDArray[np.float64]) -> None:
    """At a confidence of 90 %, at most 10 % of samples certify a threshold whose known risk is above the target."""
    false, _ = _violations(truth, seed=7)
    assert false <= MOST, false


def test_risk_bound_is_of_a_sequence_that_certifies_what_can_be() -> None:
    """To certify nothing would violate nothing."""
    false, certified = _violations(TRUTHS["certifiable"], seed=8)
    assert certified > ROUNDS / 3
    assert false <= MOST


def _without_stop(rule: Rule, cases: Cases, thresholds: tuple[float, ...]) -> FixedSequence:
    """Take the lowest threshold that passes its own test."""
    passing = [each for each in thresholds if all(test.shown for test in try_threshold(rule, cases, each))]
    return FixedSequence(rule.target, (), min(passing, default=None))


def _chosen_by_what_certifies(rule: Rule, cases: Cases, thresholds: tuple[float, ...]) -> FixedSequence:
    """Choose the threshold that looks best on the certifying answers, then test it on them, alone."""
    best = min((_one(rule, cases, each) for each in thresholds), key=lambda test: test.upper_bound)
    return FixedSequence(rule.target, (), best.threshold if best.shown else None)


def _wald(rule: Rule, cases: Cases, thresholds: tuple[float, ...]) -> FixedSequence:
    """Test with the normal approximation in place of the exact bound."""
    return _sequence(rule, cases, thresholds, float(norm.ppf(rule.target.confidence)))


def _plug_in(rule: Rule, cases: Cases, thresholds: tuple[float, ...]) -> FixedSequence:
    """Take the share of errors seen for the risk."""
    return _sequence(rule, cases, thresholds, 0.0)


def _sequence(rule: Rule, cases: Cases, thresholds: tuple[float, ...], errors: float) -> FixedSequence:
    certified = None
    for threshold in thresholds:
        test = _one(rule, cases, threshold)
        share = test.wrong / test.covered if test.covered else 1.0
        if share + errors * (share * (1 - share) / max(test.covered, 1)) ** 0.5 > rule.target.risk:
            break
        certified = threshold
    return FixedSequence(rule.target, (), certified)


def _one(rule: Rule, cases: Cases, threshold: float) -> Trial:
    (test,) = try_threshold(rule, cases, threshold)
    return test


@pytest.mark.parametrize(
    ("certify", "truth"),
    [
        (_without_stop, "certifiable"),
        (_chosen_by_what_certifies, "as wrong everywhere as just not allowed"),
        (_wald, "certifiable"),
        (_plug_in, "wrong a little less often the higher the score"),
    ],
)
def test_rule_that_promises_too_much_is_found_out_by_these_samples(certify: Certify, truth: str) -> None:
    """Each of them certifies false thresholds more often than stated, beyond what chance explains."""
    assert _violations(TRUTHS[truth], seed=8, certify=certify)[0] > binom.ppf(0.99, ROUNDS, 1 - TARGET.confidence)


def test_bound_is_tight_where_the_risk_is_the_target() -> None:
    """At a risk of exactly the target, the test is passed nearly as often as the error probability allows."""
    passed = [wrong for wrong in range(201) if shown(wrong, 200, 0.1, 0.9)]
    assert 0.05 < binom.cdf(max(passed), 200, 0.1) <= 0.1
