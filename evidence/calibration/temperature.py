"""The temperature of one question type: fitted by log loss, kept only if it helps on tasks that it has not seen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.model_selection import GroupKFold

from evidence.calibration.figures import Figures, Floats, figures, log_losses, padded
from evidence.calibration.sample import Scored

LEAST, GREATEST = 0.05, 20.0
"""Between which a temperature is looked for."""
LEAST_TASKS = 20
FOLDS = 5
_NEAR = 0.01
_NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Temperature:
    """A temperature and why it is that. `note` is empty where it is the fitted one.

    Attributes:
        value: What policies divide logits by.
        tasks: How many it was fitted on.
        note: Why it is not what was fitted, or not a free minimum; one sentence.
        folds: What each fold's other tasks gave.
        before: Figures of these tasks at temperature 1; None if there are none, or too few to fit.
        after: Figures of the same tasks, each at the temperature of the folds that it is not in.
    """

    value: float
    tasks: int
    note: str = ""
    folds: tuple[float, ...] = ()
    before: Figures | None = None
    after: Figures | None = None


def fit(logits: Floats, gold: NDArray[np.intp]) -> float:
    """Return the temperature with the least mean log loss within the bounds; 1 where none is better than another."""

    def loss(log_temperature: float) -> float:
        return float(log_losses(logits, gold, float(np.exp(log_temperature))).mean())

    found = minimize_scalar(loss, bounds=(np.log(LEAST), np.log(GREATEST)), method="bounded")
    # Not below 1's loss: a flat curve, or a minimum that the search has missed.
    return _rounded(float(np.exp(found.x))) if found.fun < loss(0.0) - _NOTHING else 1.0


def _rounded(temperature: float) -> float:
    # Thresholds are certified with the digits that the policy's file holds.
    return float(f"{temperature:.4g}")


def cross_validated(sample: Sequence[Scored]) -> Temperature:
    """Fit one temperature for answers of one question type, and measure it out of fold.

    It stays 1, the endpoint's own probabilities, where the sample does not show that another is better: with fewer than
    `LEAST_TASKS` tasks; where no option is above a right one in any task, because then any sharpening looks like an
    improvement; and where the log loss out of fold is not lower.
    """
    ordered = sorted(sample, key=lambda each: each.task)
    if len(ordered) < LEAST_TASKS:
        note = f"unfitted: {len(ordered)} tasks, and fewer than {LEAST_TASKS} say nothing of a temperature"
        return Temperature(1.0, len(ordered), note, before=figures(ordered) if ordered else None)
    logits, gold = padded(ordered), np.array([each.gold for each in ordered])
    folds, each_task = _out_of_fold(logits, gold, [each.task for each in ordered])
    before, after = figures(ordered), figures(ordered, each_task)
    separated = bool((logits[np.arange(len(gold)), gold] == logits.max(axis=1)).all())
    value, note = _chosen(fit(logits, gold), before, after, separated=separated)
    return Temperature(value, len(ordered), note, folds, before, after)


def _chosen(fitted: float, before: Figures, after: Figures, *, separated: bool) -> tuple[float, str]:
    if separated:
        return 1.0, f"not the fitted {fitted:.3g}: no option is above a right one, so nothing bounds it from below"
    if after.log_loss.value >= before.log_loss.value:
        return 1.0, f"not the fitted {fitted:.3g}: out of fold the log loss is no lower than at 1"
    if fitted < LEAST * (1 + _NEAR):
        return LEAST, "the lower bound: the scores are far too cautious for what is right"
    if fitted > GREATEST * (1 - _NEAR):
        return GREATEST, "the upper bound: the scores say next to nothing of what is right"
    return fitted, ""


def _out_of_fold(logits: Floats, gold: NDArray[np.intp], tasks: list[str]) -> tuple[tuple[float, ...], list[float]]:
    found, each_task = [], np.ones(len(gold))
    for fitting, held_out in GroupKFold(FOLDS).split(logits, groups=tasks):
        found.append(fit(logits[fitting], gold[fitting]))
        each_task[held_out] = found[-1]
    return tuple(found), each_task.tolist()
