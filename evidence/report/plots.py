"""The page's drawings."""

from collections.abc import Sequence
from itertools import chain
from typing import Final

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from evidence.calibration.reliability import Bin
from evidence.report.contents import Speed
from evidence.report.drawing import MARK, MARK_FAINT, QUIET, TEXT, drawn
from evidence.report.selective import Curve
from evidence.report.text import duration, percent_short

SQUARE: Final = 268
FLAT: Final = 150
LEAST_SECONDS: Final = 1e-6
"""What a clock that did not move is drawn as, since a logarithm has no 0."""

_BARS: Final = 24
_ROOM: Final = 6  # labels of seconds that fit beside each other
_LEAST_COVERED: Final = 10  # fewer answers than these have risks that would flatten the rest of the drawing
_STEPS: Final = LogLocator(subs=(1, 2, 5), numticks=100)
_LINES: Final = {"p50": "solid", "p95": "dashed", "p99": "dotted"}


def reliability(name: str, bins: Sequence[Bin], count: int) -> Markup:
    """Draw the share right of each bin with its interval; a point's area grows with its share of `count` answers."""

    def draw(axes: Axes) -> None:
        confidence, right = [each.confidence for each in bins], [each.accuracy for each in bins]
        lows, highs = zip(*(each.accuracy_interval for each in bins), strict=True)
        axes.plot([0, 1], [0, 1], color=QUIET, linewidth=1, linestyle="dashed")
        axes.vlines(confidence, lows, highs, colors=MARK, linewidth=2, clip_on=False)
        sizes = [25 + 420 * each.count / count for each in bins]
        axes.scatter(confidence, right, s=sizes, color=MARK, linewidths=0, clip_on=False, zorder=3)
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="probability of the chosen option", title="share right")
        _shares(axes.xaxis, axes.yaxis)

    return drawn(name, SQUARE, draw)


def risk(name: str, curve: Curve) -> Markup:
    """Draw a risk-coverage curve with the area of its intervals."""

    def draw(axes: Axes) -> None:
        coverage, risks = [each.coverage for each in curve.points], [each.risk for each in curve.points]
        lows, highs = zip(*curve.intervals, strict=True)
        axes.fill_between(coverage, lows, highs, color=MARK_FAINT, alpha=0.6, linewidth=0)
        axes.plot(coverage, risks, color=MARK, linewidth=2)
        axes.scatter(coverage[-1:], risks[-1:], s=64, color=MARK, linewidths=0, clip_on=False, zorder=3)
        axes.set(xlim=(0, 1), ylim=(0, greatest_risk(curve)), xlabel="coverage: share of all tasks")
        axes.set_title("risk: share wrong")
        _shares(axes.xaxis, axes.yaxis)

    return drawn(name, SQUARE, draw)


def greatest_risk(curve: Curve) -> float:
    """Return what an axis has to hold: the risks that rest on some answers, and room; their intervals are cut off."""
    of_many = [point.risk for point in curve.points if point.covered >= _LEAST_COVERED]
    return min(1.0, max(0.1, 1.5 * max((*of_many, curve.points[-1].risk))))


def latency(name: str, speed: Speed, steps: Sequence[float]) -> Markup:
    """Draw a phase's seconds as a histogram on a logarithmic axis from the first of `steps` to the last."""

    def draw(axes: Axes) -> None:
        edges = np.geomspace(steps[0], steps[-1], _BARS + 1)
        seconds = np.clip(speed.seconds, edges[0], edges[-1])
        axes.hist(seconds, bins=edges.tolist(), color=MARK_FAINT, edgecolor=MARK, linewidth=0.75)
        for each, line in _LINES.items():
            value = getattr(speed.figures.client, each)
            place = max(value, LEAST_SECONDS)
            axes.axvline(place, color=TEXT, linewidth=1.25, linestyle=line, label=f"{each} {duration(value)}")
        axes.margins(y=0.08)
        axes.set(xscale="log", xlim=(steps[0], steps[-1]))
        axes.xaxis.set(
            major_locator=FixedLocator(steps[:: -(-len(steps) // _ROOM)]),
            major_formatter=FuncFormatter(lambda value, _place: duration(value)),
            minor_locator=NullLocator(),
        )
        axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(_LINES))

    return drawn(name, FLAT, draw)


def seconds_steps(speeds: Sequence[Speed]) -> tuple[float, ...]:
    """Return the steps of 1, 2 and 5 around the seconds of all phases, so that all are drawn on one scale."""
    seconds = [max(each, LEAST_SECONDS) for each in chain.from_iterable(speed.seconds for speed in speeds)]
    least, greatest = min(seconds), max(seconds)
    steps = np.sort(_STEPS.tick_values(least / 10, greatest * 10))
    first = np.searchsorted(steps, least, side="right") - 1
    last = np.searchsorted(steps, greatest, side="right")
    return tuple(steps[first : last + 1].tolist())


def _shares(*axes: Axis) -> None:
    for axis in axes:
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(FuncFormatter(lambda value, _place: percent_short(value)))
