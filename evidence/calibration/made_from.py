"""What a policy says of the evidence that made it, as far as its check depends on it."""

from typing import Any

from decision_client.policy import DecisionPolicy
from evidence.calibration.errors import CalibrationError
from evidence.calibration.labelled import Labelled
from evidence.calibration.plan import Plan


def plan_of(policy: DecisionPolicy, *, unseen: bool) -> Plan:
    """Return the plan by which a policy is tested again.

    Raises:
        CalibrationError: It has no threshold, or does not say how its tasks were split, while some may be among these.
    """
    thresholds, split = policy.thresholds, _read(policy.evidence.get("split"))
    seed, share = split.get("seed"), split.get("certify_share")
    if not unseen and not (isinstance(seed, int) and isinstance(share, float)):
        raise CalibrationError("the policy does not say which tasks it has seen: --unseen if it was none of these")
    reviewed = thresholds.review is not None and thresholds.review_risk is not None
    if thresholds.act is None and not reviewed:
        raise CalibrationError("the policy has no threshold with a risk to check")
    return Plan(
        target_risk=thresholds.target_risk,
        review_risk=thresholds.review_risk if reviewed else None,
        confidence=thresholds.confidence,
        certify_share=share if isinstance(share, float) else 0.7,
        seed=seed if isinstance(seed, int) else 0,
        min_mass=thresholds.min_mass,
        min_margin=thresholds.min_margin,
    )


def refuse_seen(policy: DecisionPolicy, labelled: Labelled) -> None:
    """Refuse labels that a policy was made from, as far as files and times tell.

    Raises:
        CalibrationError: A task file is among its own, or it was made from an earlier part of the same trail.
    """
    until = policy.evidence.get("started")
    grown = labelled.begins and policy.evidence.get("run") == labelled.name
    if grown and (not isinstance(until, str) or labelled.begins <= until):
        raise CalibrationError(f"--unseen: the policy was made from {labelled.name} until {until}: --since then")
    listed = policy.evidence.get("task_files", [])
    seen = {_read(each).get("sha256") for each in listed} if isinstance(listed, list) else set()
    for file in labelled.files:
        if file.sha256 in seen:
            raise CalibrationError(f"--unseen: the policy was made from {file.name}, so it has seen these tasks")


def _read(table: object) -> dict[str, Any]:
    return table if isinstance(table, dict) else {}


def tested_thresholds(policy: DecisionPolicy, name: str) -> tuple[float, ...]:
    """Return the thresholds that the sequence of one of a policy's thresholds has tested, in order.

    Raises:
        CalibrationError: It does not say, so that a threshold could only be tested alone, which favours the policy.
    """
    tested = _read(policy.evidence.get(name)).get("tested")
    found = [_read(each).get("threshold") for each in tested] if isinstance(tested, list) else []
    thresholds = [each for each in found if isinstance(each, float)]
    if not thresholds or len(thresholds) < len(found):
        raise CalibrationError(f"evidence.{name}.tested: does not say which thresholds were tested before")
    return tuple(sorted(set(thresholds), reverse=True))
