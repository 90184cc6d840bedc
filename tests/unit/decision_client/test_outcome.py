"""What an application does with an answer."""

import copy
import math
from typing import Any

import pytest

from decision_client.definition import DecisionDefinition
from decision_client.outcome import Action, Reason, judge, outcome
from tests.unit.decision_client.samples import DEFINITION, IDENTITY, answer, policy


def below(value: float) -> float:
    """The next smaller number."""
    return math.nextafter(value, 0.0)


@pytest.mark.parametrize(
    ("changed", "given", "action", "reason"),
    [
        ({}, {}, Action.ACT, Reason.PROBABILITY),
        ({"act": 0.9}, {}, Action.REVIEW, Reason.PROBABILITY),
        ({"act": None}, {}, Action.REVIEW, Reason.PROBABILITY),
        ({"act": 0.9, "review": 0.85}, {}, Action.ABSTAIN, Reason.PROBABILITY),
        ({"min_mass": 0.95}, {}, Action.REVIEW, Reason.MASS),
        ({"min_margin": 0.75}, {}, Action.REVIEW, Reason.MARGIN),
        ({"temperature": 4.0}, {}, Action.REVIEW, Reason.PROBABILITY),
        ({"temperature": 4.0, "act": 0.4, "min_margin": 0.3}, {}, Action.REVIEW, Reason.MARGIN),
        ({}, {"choice": "none", "option_logits": [0.0, 1.0, 3.0]}, Action.ABSTAIN, Reason.ABSTAIN_OPTION),
    ],
)
def test_outcome_follows_the_policy(
    changed: dict[str, Any], given: dict[str, Any], action: Action, reason: Reason
) -> None:
    """Each rule of a policy decides where it is the first that applies."""
    judged = outcome(DEFINITION, answer(**given), policy(**changed))
    assert (judged.action, judged.reason, judged.calibrated) == (action, reason, True)


@pytest.mark.parametrize(
    ("probability", "mass", "distance", "judged"),
    [
        (0.7, 0.5, 0.1, (Action.ACT, Reason.PROBABILITY)),
        (below(0.7), 0.5, 0.1, (Action.REVIEW, Reason.PROBABILITY)),
        (0.7, below(0.5), 0.1, (Action.REVIEW, Reason.MASS)),
        (0.7, 0.5, below(0.1), (Action.REVIEW, Reason.MARGIN)),
        (0.4, 0.5, 0.1, (Action.REVIEW, Reason.PROBABILITY)),
        (below(0.4), 0.5, 0.1, (Action.ABSTAIN, Reason.PROBABILITY)),
        (below(0.4), 0.0, 0.0, (Action.ABSTAIN, Reason.PROBABILITY)),
        (0.7, 0.0, 0.0, (Action.REVIEW, Reason.MASS)),
    ],
)
def test_what_is_exactly_at_a_threshold_has_reached_it(
    probability: float, mass: float, distance: float, judged: tuple[Action, Reason]
) -> None:
    """Each threshold is the least that is enough; of several reasons the first of probability, mass, margin counts."""
    assert judge(policy().thresholds, probability, mass=mass, distance=distance) == judged


def test_thresholds_are_in_order() -> None:
    """What is acted upon is not left, so that the two may be equal and not the other way round."""
    assert policy(act=0.4, review=0.4).thresholds.act == 0.4
    with pytest.raises(ValueError, match="review: is greater than act"):
        policy(act=0.4, review=0.5)


def _changed(path: tuple[str, ...], value: object) -> dict[str, Any]:
    identity = copy.deepcopy(IDENTITY)
    place = identity
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return identity


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("gguf", "sha256"), "f" * 64, "binding.gguf_sha256"),
        (("template_sha256",), "f" * 64, "binding.template_sha256"),
        (("prompt_version",), "direct-options-v2", "binding.prompt_version"),
        (("image_digest",), "sha256:" + "f" * 64, "binding.image_digest"),
        (("llama_cpp", "library_sha256"), "f" * 64, "binding.library_sha256"),
        (("backend",), "CUDA", "runtime"),
        (("device",), "NVIDIA L4", "runtime"),
        (("layers_offloaded",), 1, "runtime"),
        (("serving_path",), "fan-out", "runtime"),
    ],
)
@pytest.mark.rule(
    "An answer of another model, image, library, device or serving path than a policy was made on is not acted upon",
    tool="the client's own code",
    emulated="the answer",
)
def test_answer_from_elsewhere_is_not_acted_upon(path: tuple[str, ...], value: object, named: str) -> None:
    """Whatever the evidence does not cover is named, and the answer is for review, uncalibrated."""
    judged = outcome(DEFINITION, answer(model=_changed(path, value)), policy())
    assert (judged.action, judged.reason, judged.calibrated) == (Action.REVIEW, Reason.POLICY_MISMATCH, False)
    assert judged.mismatch == named


@pytest.mark.parametrize("changed", [{"version": "2"}, {"name": "other"}, {"question": "Which queue handles this?"}])
def test_changed_wording_is_not_acted_upon(changed: dict[str, str]) -> None:
    """A policy covers one wording, whether or not the definition's version was raised with it."""
    definition = DecisionDefinition.model_validate({**DEFINITION.model_dump(), **changed})
    assert outcome(definition, answer(), policy()).reason is Reason.POLICY_MISMATCH


def test_answer_without_policy_is_for_review() -> None:
    """Without evidence nothing is acted upon."""
    judged = outcome(DEFINITION, answer(), None)
    assert (judged.action, judged.reason, judged.calibrated) == (Action.REVIEW, Reason.NO_POLICY, False)
