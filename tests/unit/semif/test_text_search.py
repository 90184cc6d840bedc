"""One search for many texts finds what an alternation of them finds, and does not slow down with their number."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from semif.text_search import any_of

# Few characters, so that texts overlap, begin and continue alike; those that mean something in a pattern among them.
CHARACTERS = "ab]^-\\|(?*.[ \n#é"
texts_to_find = st.frozensets(st.text(CHARACTERS, min_size=1, max_size=6), max_size=12)


@given(texts_to_find, st.text(CHARACTERS, max_size=40), st.data())
@example(frozenset({"a", "ab", "abb", "b]", "a]"}), "aaab", None)
def test_search_finds_what_an_alternation_finds(texts: frozenset[str], text: str, data: st.DataObject | None) -> None:
    """Every occurrence, leftmost first and longest at its place, is the one the plain alternation finds."""
    if data and texts:
        text += data.draw(st.sampled_from(sorted(texts))) + data.draw(st.text(CHARACTERS, max_size=10))
    longest_first = sorted(texts, key=len, reverse=True)
    plain = re.compile("|".join(map(re.escape, longest_first)))

    pattern = any_of(texts)

    found = [match.span() for match in pattern.finditer(text)] if pattern else []
    assert found == ([match.span() for match in plain.finditer(text)] if texts else [])


def test_pattern_of_thousands_of_like_texts_is_short() -> None:
    """Equal continuations stand in the pattern once: six thousand numbered texts take a few hundred characters."""
    texts = frozenset(f"<unused{number}>" for number in range(6242))

    pattern = any_of(texts)

    assert pattern
    assert len(pattern.pattern) < 500
    assert all(pattern.fullmatch(text) for text in texts)
    assert not pattern.search("<unused6242> <unused01> <unused> <unused<unused1")


@pytest.mark.timeout(20)  # one search for one of these took half a minute with a plain alternation
@pytest.mark.parametrize("beginning", ["<", "<un", "<unused", "<unused624"])
def test_a_text_of_nothing_but_beginnings_is_searched_at_once(beginning: str) -> None:
    """A quarter of a megabyte of beginnings holds none of thousands of texts, and that is soon found out."""
    pattern = any_of(frozenset(f"<unused{number}>" for number in range(6242)))

    assert pattern
    assert not pattern.search(beginning * (262_144 // len(beginning)))
