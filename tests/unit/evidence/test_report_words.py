"""What callers named is text on a page, and any run has a page."""

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence.report import page
from evidence.results import Results
from tests.unit.evidence.html_page import parse
from tests.unit.evidence.synthetic import answered, failed, results

if TYPE_CHECKING:
    from evidence.records import Answered, Failed

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "&lt;b&gt;",
    "a\u202eb\x00\x1b[2J",
    "{{ 7*7 }}",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_what_a_caller_named_is_text(name: str) -> None:
    """Whatever an id, family, option, note, error or setting says, the page has the elements it would have anyway."""

    def made(word: str) -> Results:
        lines: list[Answered | Failed] = [
            answered(word, (0.0, 1.0), gold=word, family=word, option_ids=(word, f"{word}2"), phase=word),
            failed(f"{word}3", phase=word, error=word, code=word, gold=word),
        ]
        run = results(lines, run=word, note=word)
        run.run.settings[word] = word
        return run

    shown, plain = parse(page(made(name))), parse(page(made("plain")))

    assert [each.tag for each in shown.elements] == [each.tag for each in plain.elements]
    assert not [attribute for each in shown.elements for attribute in each.attributes if attribute.startswith("on")]
    assert not [each for each in shown.words() if not each.isprintable()]
    assert (name if name.isprintable() else repr(name)[1:-1]) in shown.words()


@given(st.lists(st.tuples(st.floats(-30, 30), st.floats(0, 1e4), st.booleans()), min_size=1, max_size=12))
@settings(max_examples=25)
def test_any_run_has_a_page(lines: list[tuple[float, float, bool]]) -> None:
    """Equal scores, clocks that stood still, everything wrong or everything abstaining: nothing is undefined."""
    made = results(
        answered(f"t{number}", (logit, 0.0), client_seconds=seconds, abstain_option="a" if abstains else None)
        for number, (logit, seconds, abstains) in enumerate(lines)
    )

    shown = parse(page(made))

    assert not re.search(r"\b(nan|inf)\b", shown.words())
