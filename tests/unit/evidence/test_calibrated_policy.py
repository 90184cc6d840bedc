"""What a policy that calibration has made says, and what the client does by it."""

from pathlib import Path

import pytest

from decision_client.outcome import Action, outcome
from decision_client.policy import DecisionPolicy, read_policy
from evidence.calibration.calibrate import Calibration, calibrate
from evidence.calibration.labelled import of_results
from evidence.calibration.plan import Plan
from evidence.calibration.policy_file import policy, text
from tests.unit.decision_client import samples
from tests.unit.evidence.synthetic import Scorer, definition, results

PLAN = Plan(target_risk=0.1, confidence=0.9, min_margin=0.0)


def _made(plan: Plan = PLAN) -> tuple[Calibration, DecisionPolicy]:
    answers = Scorer(3.0, position_prior=(1.0, 0.0, 0.0)).answers(1000, 1)
    made = calibrate(of_results(results(answers)), plan)
    return made, policy(made, made.groups[0], "2026-01-02")


def test_policy_file_is_read_as_the_policy_that_was_made(tmp_path: Path) -> None:
    """The client reads every value, the figures included, and the comments explain."""
    _, wanted = _made(Plan(target_risk=0.1, review_risk=0.4, confidence=0.9))
    file = tmp_path / "policy.toml"
    file.write_text(text(wanted), encoding="utf-8")
    assert read_policy(file) == wanted
    assert wanted.thresholds.review is not None
    assert "# Where: each of these has shown" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("plan", [PLAN, Plan(target_risk=0.1, confidence=0.9, min_margin=0.97)])
def test_what_was_certified_is_what_the_client_acts_upon(plan: Plan) -> None:
    """The client's outcome of each answer, counted, is the test that the threshold has passed: margin and mass too."""
    lines = [
        line.model_copy(update={"allowed_token_mass": 0.3 if number % 5 == 0 else 0.9})
        for number, line in enumerate(Scorer(3.0, position_prior=(1.0, 0.0, 0.0)).answers(1000, 1))
    ]
    made = calibrate(of_results(results(lines)), plan)
    (group,) = made.groups
    wanted = policy(made, group, "2026-01-02")
    assert group.act.threshold is not None
    (tested,) = group.act.sequence.at(group.act.threshold)
    asked = definition()
    acted = []
    for line in lines:
        if plan.certifies(line.task):
            fields = {"option_ids", "probabilities", "option_logits", "choice", "allowed_token_mass"}
            found = outcome(asked, samples.answer(**line.model_dump(include=fields)), wanted)
            assert found.calibrated
            acted += [line.correct] if found.action is Action.ACT else []
    assert (len(acted), acted.count(False)) == (tested.covered, tested.wrong)


@pytest.mark.rule(
    "A policy made for another GGUF, device or wording is not acted upon", tool="the client's own outcome", emulated=""
)
def test_policy_covers_no_other_model_device_or_wording() -> None:
    """An answer from another GGUF, another device, or to another wording is not acted upon."""
    _, wanted = _made()
    sure = {"option_ids": ("a", "b", "c"), "option_logits": (90.0, 0.0, 0.0), "probabilities": (1.0, 0.0, 0.0)}
    asked = definition()
    here = samples.answer(choice="a", **sure)
    assert outcome(asked, here, wanted).action is Action.ACT
    for changed in ({"gguf": {**samples.IDENTITY["gguf"], "sha256": "9" * 64}}, {"device": "T4"}):
        there = samples.answer(choice="a", **sure, model={**samples.IDENTITY, **changed})
        assert outcome(asked, there, wanted).action is Action.REVIEW
    reworded = asked.model_copy(update={"question": "Which one is it?"})
    assert outcome(reworded, here, wanted).mismatch == "definition.sha256"
