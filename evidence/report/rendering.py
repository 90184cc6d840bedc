"""A run as one HTML page that needs nothing but itself: no network, no script."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from evidence.report.axis import Axis, seconds, shares
from evidence.report.contents import Speed, definitions, sections
from evidence.report.histogram import LEAST_SECONDS, bars
from evidence.report.selective import Curve
from evidence.report.text import between, duration, field_name, number, percent, percent_short, plain, words
from evidence.results import Results
from evidence.summary import summarize

_TEMPLATES: Final = Path(__file__).parent / "templates"
_LEAST_COVERED: Final = 10  # fewer answers than these have risks that would flatten the rest of the drawing


def page(results: Results) -> str:
    """Return the page. What callers named (tasks, families, options) is escaped; nothing of a request is there."""
    drawing = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    drawing.globals |= {
        "across": shares,
        "bars": bars,
        "duration": duration,
        "field_name": field_name,
        "number": number,
        "percent": percent,
        "percent_short": percent_short,
        "plain": plain,
        "radius": radius,
        "risks": risks,
        "seconds_axis": seconds_axis,
        "range": between,
        "words": words,
    }
    drawing.globals["plots"] = drawing.get_template("plots.html").module
    summary = summarize(results)
    return drawing.get_template("page.html").render(
        summary=summary, sections=sections(results, summary), definitions=definitions(results)
    )


def radius(share: float) -> float:
    """Return the radius of a point that stands for a share of all answers; its area grows with it."""
    return round(2.5 + 8 * math.sqrt(share), 1)


def risks(curve: Curve, start: float, end: float) -> Axis:
    """Return an axis for risks: room for those of a curve that rest on some answers, their intervals cut off."""
    of_many = [point.risk for point in curve.points if point.covered >= _LEAST_COVERED]
    return shares(start, end, min(1.0, max(0.1, 1.5 * max((*of_many, curve.points[-1].risk)))))


def seconds_axis(speeds: Sequence[Speed]) -> Axis:
    """Return one axis for the seconds of every phase."""
    return seconds([max(each, LEAST_SECONDS) for speed in speeds for each in speed.seconds], 8, 332)
