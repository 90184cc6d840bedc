"""How figures and callers' words are written."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.report.text import between, duration, field_name, number, percent, percent_short, words


@pytest.mark.parametrize(
    ("share", "written"),
    [(0.0, "0.0 %"), (0.8333, "83.3 %"), (1.0, "100.0 %"), (0.9999, "> 99.9 %"), (None, "–")],  # noqa: RUF001 - what is shown
)
def test_a_share_has_one_decimal_and_only_all_reads_100(share: float | None, written: str) -> None:
    """One error in ten thousand is not hidden."""
    assert percent(share).replace("\N{NO-BREAK SPACE}", " ") == written


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0.0, "0 ms"), (0.0004, "0.4 ms"), (0.352, "352 ms"), (0.9997, "1 s"), (1.715, "1.72 s"), (1234.5, "1,234 s")],
)
def test_seconds_have_three_digits(seconds: float, written: str) -> None:
    """In milliseconds below one second."""
    assert duration(seconds).replace("\N{NO-BREAK SPACE}", " ") == written


def test_ranges_and_counts_are_short() -> None:
    """They stand in narrow columns."""
    assert between(0.468, 0.69) == "47\N{EN DASH}69\N{NO-BREAK SPACE}%"
    assert percent_short(0.8) == "80\N{NO-BREAK SPACE}%"
    assert (number(3000), number(1.2345), number(None)) == ("3,000", "1.23", "\N{EN DASH}")


@given(st.text())
def test_callers_words_are_text_and_nothing_else(text: str) -> None:
    """No element, no entity of theirs, nothing invisible; what is printable comes back as it was."""
    shown = str(words(text))

    inside = re.fullmatch(r"<bdi>(.*)</bdi>", shown)
    assert inside
    assert not re.search(r"[<>\"']", inside[1])
    assert html.unescape(inside[1]).isprintable()
    if text.isprintable():
        assert html.unescape(inside[1]) == text


def test_a_field_name_may_break_behind_dots_and_underscores() -> None:
    """And is escaped before."""
    assert field_name("llama_cpp.<b>") == "<bdi>llama_<wbr>cpp.<wbr>&lt;b&gt;</bdi>"
