"""The page's colours can be told apart, by day, by night and on paper."""

import re
from pathlib import Path

import pytest

from evidence.report import rendering

STYLE = (Path(rendering.__file__).parent / "templates" / "style.css").read_text("utf-8")
_BLOCKS = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
DAY, NIGHT, PAPER = (dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6})", block)) for block in _BLOCKS)
TEXT = [("text", "page"), ("quiet", "page"), ("mark", "page"), ("note", "note-page"), ("text", "note-page")]
DRAWN = [("mark", "mark-faint"), ("text", "mark-faint"), ("quiet", "page")]


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    channels = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    dark, light = sorted(map(_luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [DAY, NIGHT, PAPER], ids=["day", "night", "paper"])
def test_text_and_drawings_have_contrast(scheme: dict[str, str]) -> None:
    """At least 4.5 to 1 for text and 3 to 1 for what is drawn, as WCAG 2 asks at level AA."""
    assert all(_contrast(scheme[one], scheme[other]) >= 4.5 for one, other in TEXT)
    assert all(_contrast(scheme[one], scheme[other]) >= 3 for one, other in DRAWN)


def test_every_scheme_has_every_colour() -> None:
    """And each colour that is used is one of them."""
    assert DAY.keys() == NIGHT.keys() == PAPER.keys()
    assert set(re.findall(r"var\(--([a-z-]+)\)", STYLE)) <= DAY.keys()


def test_the_contrast_of_black_and_white_is_21() -> None:
    """The measure is WCAG's."""
    assert _contrast("#000", "#ffffff") == pytest.approx(21)
