"""Drawings hold their values, follow the page and are the same for the same results."""

import re
from collections.abc import Callable
from itertools import pairwise

import matplotlib as mpl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.calibration.reliability import reliability
from evidence.calibration.risk_coverage import Point
from evidence.report import plots
from evidence.report.contents import Speed, sections
from evidence.report.selective import Curve, curve
from evidence.summary import summarize
from tests.unit.evidence.report_runs import RUNS

COLOURS = ("text", "quiet", "line", "mark", "mark-faint")
SECONDS = st.lists(st.floats(0, 1e5), min_size=1, max_size=50)
SCORES, RIGHT = [0.31, 0.62, 0.64, 0.97], [False, True, True, True]
(MANY,) = sections(RUNS["many"], summarize(RUNS["many"]))
Draw = Callable[[str], str]
DRAWINGS: dict[str, Draw] = {
    "reliability": lambda name: plots.reliability(name, reliability(SCORES, RIGHT), 4),
    "risk": lambda name: plots.risk(name, curve(SCORES, RIGHT, 5)),
    "latency": lambda name: plots.latency(name, MANY.speeds[0], plots.seconds_steps(MANY.speeds)),
}
every_drawing = pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)


@every_drawing
def test_a_drawing_is_the_same_for_the_same_results(draw: Draw) -> None:
    """Byte for byte, whatever the reader's own matplotlib settings are."""
    first = draw("d")

    with mpl.rc_context(
        {"font.size": 30, "svg.hashsalt": "other", "axes.linewidth": 9, "lines.dash_capstyle": "round"}
    ):
        assert draw("d") == first


@every_drawing
def test_a_drawing_has_the_colours_of_the_page_alone(draw: Draw) -> None:
    """Each is a variable, so that dark mode and paper change it."""
    styles = "; ".join(re.findall(r'style="([^"]*)"', draw("d")))

    assert set(re.findall(r"(?:fill|stroke): ([^;]+)", styles)) <= {"none", *(f"var(--{name})" for name in COLOURS)}
    assert "var(--mark)" in styles


@every_drawing
def test_a_drawing_changes_nothing_outside_of_itself(draw: Draw) -> None:
    """It has no rules and no address, and no id of another drawing's."""
    inside = draw("d")
    ids = set(re.findall(r' id="([^"]*)"', inside))

    assert not re.search(r"<style|<svg|<\?xml|<!|://", inside)
    assert set(re.findall(r'(?:url\(#|href="#)([^)"]*)', inside)) <= ids
    assert not ids & set(re.findall(r' id="([^"]*)"', draw("other")))


def test_text_stays_text() -> None:
    """What is marked in a histogram can be searched for, copied and read out."""
    words = re.findall(r"<text[^>]*>([^<]*)</text>", DRAWINGS["latency"]("d"))

    assert {f"{each} 200\N{NO-BREAK SPACE}ms" for each in ("p50", "p95", "p99")} <= set(words)


@given(SECONDS)
def test_an_axis_of_seconds_holds_every_value(values: list[float]) -> None:
    """From the step below the least to the one above the greatest, by steps of 1, 2 and 5."""
    seconds = [max(value, plots.LEAST_SECONDS) for value in values]

    steps = plots.seconds_steps([Speed("sequential", MANY.figures, tuple(values))])

    assert steps[0] <= min(seconds) < steps[1]
    assert steps[-2] <= max(seconds) < steps[-1]
    assert all(1.9 < after / before < 2.6 for before, after in pairwise(steps))


@pytest.mark.parametrize(("risks", "greatest"), [([0.9, 0.5], 0.75), ([0.9, 0.01], 0.1), ([0.9, 0.8], 1.0)])
def test_the_risk_of_a_few_answers_flattens_no_curve(risks: list[float], greatest: float) -> None:
    """The first answer is wrong and the axis is made for the others; it shows at least 10 %, and no more than all."""
    points = tuple(Point(0.9, count, 1, count / 20, risk) for count, risk in zip((1, 20), risks, strict=True))

    assert plots.greatest_risk(Curve(points, ((0, 1), (0, 1)))) == pytest.approx(greatest)
