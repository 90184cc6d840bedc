"""How a context's sequences are shared out, and which suffixes are decoded together; pure."""

from collections.abc import Sequence

Tokens = tuple[int, ...]


def sequences_for(resident_states: int, *, branches: int, can_cut: bool) -> int:
    """Sequences an engine needs: one or more for states, and one per branch unless its only one is decoded in place."""
    return max(1, resident_states) + (0 if branches == 1 and can_cut else branches)


def decoded_together(suffixes: Sequence[Tokens], *, most: int, tokens: int) -> list[list[Tokens]]:
    """Groups suffixes in their order, as many into each decode as may be.

    Args:
        suffixes: Token ids, none of them longer than a decode.
        most: Suffixes of one decode.
        tokens: Of one decode, all suffixes together.
    """
    groups: list[list[Tokens]] = []
    for suffix in suffixes:
        if groups and len(groups[-1]) < most and sum(map(len, groups[-1])) + len(suffix) <= tokens:
            groups[-1].append(suffix)
        else:
            groups.append([suffix])
    return groups
