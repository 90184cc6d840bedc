"""How sequences are shared out among states and branches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semif.llama.sequences import decoded_together, sequences_for


@pytest.mark.parametrize(
    ("states", "branches", "can_cut", "sequences"),
    [(0, 1, True, 1), (4, 1, True, 4), (4, 1, False, 5), (4, 2, True, 6), (0, 3, False, 4)],
)
def test_a_scratch_sequence_is_kept_only_where_suffixes_go_into_copies(
    *, states: int, branches: int, can_cut: bool, sequences: int
) -> None:
    """A suffix decoded in place needs no sequence of its own; copies and branches decoded together do."""
    assert sequences_for(states, branches=branches, can_cut=can_cut) == sequences


@given(
    st.lists(st.integers(1, 40).map(lambda length: (7,) * length), max_size=30), st.integers(1, 16), st.integers(40, 99)
)
def test_suffixes_are_decoded_in_their_order_as_many_at_a_time_as_may_be(
    suffixes: list[tuple[int, ...]], most: int, tokens: int
) -> None:
    """Every suffix is in one group, no group is too large, and the next one would have made it so."""
    groups = decoded_together(suffixes, most=most, tokens=tokens)

    assert [suffix for group in groups for suffix in group] == suffixes
    for number, group in enumerate(groups):
        assert 1 <= len(group) <= most
        assert sum(map(len, group)) <= tokens
        if number + 1 < len(groups):
            more = [*group, groups[number + 1][0]]
            assert len(more) > most or sum(map(len, more)) > tokens


@given(st.lists(st.integers(1, 40).map(lambda length: (7,) * length), max_size=30))
def test_one_at_a_time_is_the_canonical_path(suffixes: list[tuple[int, ...]]) -> None:
    """Without branches no suffix is decoded with another."""
    assert decoded_together(suffixes, most=1, tokens=4096) == [[suffix] for suffix in suffixes]
