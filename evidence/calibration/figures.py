"""Log loss, Brier score and ECE of answers at given temperatures, with intervals from a bootstrap over tasks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax
from scipy.stats import bootstrap

from evidence.calibration.reliability import expected_calibration_error, noise
from evidence.calibration.sample import Scored

RESAMPLES = 1000
SEED = 20260102
"""Of resampling: figures are a function of the answers."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval, which holds the value; it is the value alone where there is one task."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Figures:
    """Of `tasks` answers: log loss (nats), Brier score (0 to 2, over all options) and ECE of the chosen option.

    `ece_noise` is the ECE's mean and 95th percentile for true probabilities: what is below the second is no evidence of
    miscalibration. Intervals hold the temperature fixed.
    """

    tasks: int
    accuracy: float
    log_loss: Estimate
    brier: Estimate
    ece: Estimate
    ece_noise: tuple[float, float]


def padded(sample: Sequence[Scored]) -> Floats:
    """Return the logits as one row for each task; places that a task has no option for are minus infinity."""
    logits = np.full((len(sample), max(len(each.option_logits) for each in sample)), -np.inf)
    for row, each in enumerate(sample):
        logits[row, : len(each.option_logits)] = each.option_logits
    return logits


def log_losses(logits: Floats, gold: NDArray[np.intp], temperature: float | Floats) -> Floats:
    """Return each task's log loss at a temperature, or at one for each task (a column)."""
    found: Floats = -log_softmax(logits / temperature, axis=1)[np.arange(len(gold)), gold]
    return found


def figures(sample: Sequence[Scored], temperatures: float | Sequence[float] = 1.0) -> Figures:
    """Compute the figures of at least one answer at one temperature, or at one for each."""
    column = np.broadcast_to(np.asarray(temperatures, dtype=float), len(sample))[:, None]
    logits, rows = padded(sample), np.arange(len(sample))
    gold, chosen = (np.array(places) for places in zip(*((each.gold, each.chosen) for each in sample), strict=True))
    probabilities = np.exp(log_softmax(logits / column, axis=1))
    truth = np.zeros_like(probabilities)
    truth[rows, gold] = 1
    confidence, correct = probabilities[rows, chosen], gold == chosen
    return Figures(
        tasks=len(sample),
        accuracy=float(correct.mean()),
        log_loss=_estimate(_mean, log_losses(logits, gold, column)),
        brier=_estimate(_mean, ((probabilities - truth) ** 2).sum(axis=1)),
        ece=_estimate(expected_calibration_error, confidence, correct),
        ece_noise=noise(confidence.tolist(), SEED),
    )


def _mean(values: Floats) -> float:
    return float(values.mean())


def _estimate(statistic: Callable[..., float], *columns: NDArray[Any]) -> Estimate:
    value = statistic(*columns)
    if len(columns[0]) == 1:
        return Estimate(value, value, value)
    # The basic interval takes off the bias that resampling adds once more: the ECE's is of the size of its noise.
    found = bootstrap(
        columns,
        statistic,
        n_resamples=RESAMPLES,
        vectorized=False,
        paired=True,
        method="basic",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return Estimate(value, min(value, max(0.0, float(found.low))), max(value, float(found.high)))
