"""The figures behind a policy, as plain values: for its file and for programs."""

from typing import Any

from evidence.calibration.calibrate import Calibration, Kind
from evidence.calibration.figures import Estimate, Figures
from evidence.calibration.group import Certified, Group
from evidence.calibration.order import OrderSensitivity


def evidence(calibration: Calibration, group: Group) -> dict[str, Any]:
    """Return where a group's labels are from, how they were split, what was tested, and its type's figures.

    Triples are a value and its 95 % interval; `ece_if_true` is mean and 95th percentile of true probabilities' ECE.
    """
    plan, labelled, kind = calibration.plan, calibration.labelled, calibration.kinds[group.type]
    found: dict[str, Any] = {
        "run": labelled.name,
        "started": labelled.started,
        "task_files": [file.model_dump(exclude_defaults=True) for file in labelled.files],
        "split": {"seed": plan.seed, "certify_share": plan.certify_share},
        "tasks": {
            "asked": group.tasks,
            "failed": group.failed,
            "abstain_option_chosen": group.abstained,
            "fitting": group.fitting,
            "certifying": group.certifying,
            "certifying_with_little_mass": group.little_mass,
        },
        "temperature": _temperature(kind),
        "act": _certified(group.act),
    }
    if labelled.remarks:
        found["remarks"] = list(labelled.remarks)
    if group.review is not None:
        found["review"] = _certified(group.review)
    if group.unseen is not None:
        found["certifying_answers"] = _figures(group.unseen)
    if kind.order is not None:
        found["option_order"] = _order(kind.order)
    return found


def _temperature(kind: Kind) -> dict[str, Any]:
    temperature = kind.temperature
    found: dict[str, Any] = {"of": "all definitions of this type", "tasks": temperature.tasks}
    if temperature.note:
        found["note"] = temperature.note
    if temperature.folds:
        found["folds"] = list(temperature.folds)
    if temperature.before:
        found["fitting_at_1"] = _figures(temperature.before)
    if temperature.after:
        found["fitting_out_of_fold"] = _figures(temperature.after)
    if kind.at_1 and kind.unseen:
        found |= {"certifying_at_1": _figures(kind.at_1), "certifying": _figures(kind.unseen)}
    return found


def _certified(certified: Certified) -> dict[str, Any]:
    sequence = certified.sequence
    found: dict[str, Any] = {
        "risk": sequence.target.risk,
        "confidence": _rounded(sequence.target.confidence),
    }
    found |= {"note": certified.note} if certified.note else {}
    if certified.shortfall:
        found["missing"] = certified.shortfall.sentence
    if certified.threshold is not None:
        found["coverage"] = _rounded(certified.coverage)
    several = len({each.runtime for each in sequence.tested}) > 1
    found["tested"] = [
        {
            "threshold": each.threshold,
            **({"runtime": each.runtime.device or each.runtime.backend} if several else {}),
            "covered": each.covered,
            "wrong": each.wrong,
            "at_most": _rounded(each.upper_bound),
        }
        for each in sequence.tested
    ]
    return found


def _figures(figures: Figures) -> dict[str, Any]:
    return {
        "answers": figures.tasks,
        "accuracy": _rounded(figures.accuracy),
        "log_loss": _estimate(figures.log_loss),
        "brier": _estimate(figures.brier),
        "ece": _estimate(figures.ece),
        "ece_if_true": [_rounded(each) for each in figures.ece_noise],
    }


def _estimate(estimate: Estimate) -> list[float]:
    return [_rounded(each) for each in (estimate.value, estimate.low, estimate.high)]


def _order(order: OrderSensitivity) -> dict[str, Any]:
    return {
        "tasks": order.tasks,
        "flipped": order.flipped,
        "flip_rate": [_rounded(each) for each in (order.flip_rate, *order.interval)],
        "places": [
            {"options": each.options, "place": each.place, "probability": _rounded(each.probability)}
            for each in order.places
        ],
    }


def _rounded(value: float) -> float:
    return round(value, 4)
