"""How the seconds of a phase's answers are spread, on a logarithmic axis."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from evidence.report.axis import Axis

BARS: Final = 24
LEAST_SECONDS: Final = 1e-6
"""What a clock that did not move is drawn as, since a logarithm has no 0."""


def bars(seconds: Sequence[float], axis: Axis) -> tuple[tuple[float, float, float], ...]:
    """Return left edge, width and height of each bar that is not empty; edges in the axis's units, the highest is 1."""
    edges = np.geomspace(axis.low, axis.high, BARS + 1)
    edges[0], edges[-1] = axis.low, axis.high
    counts, _ = np.histogram(np.clip(seconds, axis.low, axis.high), edges)
    places = [axis(float(edge)) for edge in edges]
    return tuple(
        (left, round(right - left, 1), float(count / counts.max()))
        for left, right, count in zip(places, places[1:], counts, strict=False)
        if count
    )
