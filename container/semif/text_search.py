"""Pure: one regular expression that finds any of many texts, in time that does not grow with their number.

The alternatives of a plain alternation are tried one after the other wherever their first character stands: with
thousands of them a body of nothing but that character would hold up the event loop for half a minute. Here they share
their beginnings, as in a trie, and equal continuations, so that each place is left after a few comparisons.
"""

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

Texts = tuple[str, ...]


@lru_cache(maxsize=2)
def any_of(texts: frozenset[str]) -> re.Pattern[str] | None:
    """Finds the leftmost of some texts, of several at one place the longest; None if there are no texts.

    Args:
        texts: None of them empty.
    """
    return re.compile(_alternatives(tuple(sorted(texts)), {})) if texts else None


def _alternatives(texts: Texts, known: dict[Texts, str]) -> str:
    if texts not in known:
        known[texts] = re.escape(texts[0]) if len(texts) == 1 else _branches(texts, known)
    return known[texts]


def _branches(texts: Texts, known: dict[Texts, str]) -> str:
    # Of sorted, distinct texts: what the first and the last have in common all have.
    common = os.path.commonprefix((texts[0], texts[-1]))  # noqa: RUF071 - characters are meant, not paths
    rest = [text[len(common) :] for text in texts]
    ends = not rest[0]  # one of the texts is the beginning of the others: they are tried first
    by_continuation: dict[str, list[str]] = {}
    for first, same in groupby(rest[ends:], key=itemgetter(0)):
        by_continuation.setdefault(_alternatives(tuple(text[1:] for text in same), known), []).append(first)
    branches = "|".join(_one_of(firsts) + after for after, firsts in by_continuation.items())
    return f"{re.escape(common)}(?:{branches}){'?' if ends else ''}"


def _one_of(characters: Sequence[str]) -> str:
    escaped = "".join(map(re.escape, characters))
    return f"[{escaped}]" if len(characters) > 1 else escaped
