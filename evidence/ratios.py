"""How much longer one run took than another, with an interval."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy import stats

from evidence.pairs import Pair
from evidence.records import Answered

CONFIDENCE: Final = 0.95
RESAMPLES: Final = 2000
_SEED: Final = 20260102  # two comparisons of the same files say the same
_LEAST: Final = 2  # pairs from which an interval can be made


@dataclass(frozen=True, slots=True)
class Ratio:
    """B's seconds divided by A's, for one statistic; `low` and `high` bound it with 95 % confidence, if they can.

    The bounds are percentiles of a bootstrap over tasks: tasks vary in it, the machine's state on another day does not.
    """

    statistic: str
    a_seconds: float
    b_seconds: float
    ratio: float
    low: float | None
    high: float | None


def latency_ratios(pairs: Sequence[Pair]) -> tuple[Ratio, ...]:
    """Compare the seconds of tasks that both runs answered: the client's and the forward pass's."""
    both = [(pair.a, pair.b) for pair in pairs if isinstance(pair.a, Answered) and isinstance(pair.b, Answered)]
    if not both:
        return ()
    client = _columns((a.client_seconds, b.client_seconds) for a, b in both)
    forward = _columns((a.forward_seconds, b.forward_seconds) for a, b in both)
    found = [
        _ratio("client, geometric mean", client, _geometric_mean),
        _ratio("client, p50", client, _percentile(50)),
        _ratio("client, p95", client, _percentile(95)),
        _ratio("forward pass, geometric mean", forward, _geometric_mean),
    ]
    return tuple(each for each in found if each is not None)


Columns = tuple[np.ndarray[Any, np.dtype[np.float64]], np.ndarray[Any, np.dtype[np.float64]]]
Statistic = Callable[..., Any]


def _columns(seconds: Any) -> Columns:  # noqa: ANN401 - an iterable of pairs of seconds
    a, b = np.array(list(seconds), dtype=np.float64).T
    return a, b


def _geometric_mean(values: Any, axis: int = -1) -> Any:  # noqa: ANN401 - arrays in, arrays out
    return np.exp(np.mean(np.log(values), axis=axis))


def _percentile(share: float) -> Statistic:
    return lambda values, axis=-1: np.percentile(values, share, axis=axis)


def _ratio(name: str, columns: Columns, statistic: Statistic) -> Ratio | None:
    a, b = columns
    if a.min() <= 0 or b.min() <= 0:
        return None  # a clock that did not move has no ratio
    low, high = _interval(columns, statistic)
    of_a, of_b = float(statistic(a)), float(statistic(b))
    return Ratio(name, of_a, of_b, of_b / of_a, low, high)


def _interval(columns: Columns, statistic: Statistic) -> tuple[float | None, float | None]:
    if len(columns[0]) < _LEAST:
        return None, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a distribution of one value is an interval of one value
        found = stats.bootstrap(
            columns,
            lambda a, b, axis=-1: statistic(b, axis=axis) / statistic(a, axis=axis),
            paired=True,
            vectorized=True,
            n_resamples=RESAMPLES,
            confidence_level=CONFIDENCE,
            method="percentile",
            rng=np.random.default_rng(_SEED),
        )
    return float(found.confidence_interval.low), float(found.confidence_interval.high)
