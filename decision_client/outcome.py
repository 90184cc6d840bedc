"""What an application does with an answer: act on it, let a person look at it, or leave it."""

from dataclasses import dataclass
from enum import StrEnum

from decision_client.answer import Answer
from decision_client.definition import DecisionDefinition
from decision_client.policy import DecisionPolicy, Thresholds
from decision_client.scores import calibrated, margin


class Action(StrEnum):
    """What to do."""

    ACT = "act"
    REVIEW = "review"
    ABSTAIN = "abstain"


class Reason(StrEnum):
    """What decided it."""

    PROBABILITY = "probability"
    MARGIN = "margin"
    MASS = "mass"
    POLICY_MISMATCH = "policy_mismatch"
    ABSTAIN_OPTION = "abstain_option"
    NO_POLICY = "no_policy"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The action and why; `probability` is the chosen option's, calibrated where a policy covers the answer.

    `calibrated` is false where it is the endpoint's own score; `mismatch` names what the policy does not cover.
    """

    action: Action
    reason: Reason
    probability: float
    calibrated: bool
    mismatch: str = ""


def outcome(definition: DecisionDefinition, answer: Answer, policy: DecisionPolicy | None) -> Outcome:
    """Judge one answer. Without a policy that covers it, nothing is acted upon."""
    chosen = answer.option_ids.index(answer.choice)
    mismatch = policy.mismatch(definition.reference, answer.model) if policy else ""
    if policy is None or mismatch:
        reason = Reason.POLICY_MISMATCH if policy else Reason.NO_POLICY
        return Outcome(Action.REVIEW, reason, answer.probabilities[chosen], calibrated=False, mismatch=mismatch)
    probabilities = calibrated(answer.option_logits, policy.temperature)
    if answer.choice == definition.abstain_option:
        return Outcome(Action.ABSTAIN, Reason.ABSTAIN_OPTION, probabilities[chosen], calibrated=True)
    action, reason = judge(
        policy.thresholds, probabilities[chosen], mass=answer.allowed_token_mass, distance=margin(probabilities)
    )
    return Outcome(action, reason, probabilities[chosen], calibrated=True)


def judge(thresholds: Thresholds, probability: float, *, mass: float, distance: float) -> tuple[Action, Reason]:
    """Apply thresholds to a calibrated probability, mass and margin; this is the rule that calibration certifies."""
    if thresholds.review is not None and probability < thresholds.review:
        return Action.ABSTAIN, Reason.PROBABILITY
    if mass < thresholds.min_mass:
        return Action.REVIEW, Reason.MASS
    if distance < thresholds.min_margin:
        return Action.REVIEW, Reason.MARGIN
    acts = thresholds.act is not None and probability >= thresholds.act
    return (Action.ACT if acts else Action.REVIEW), Reason.PROBABILITY
