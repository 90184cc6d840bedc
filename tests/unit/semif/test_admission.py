"""Who comes in, and how many at a time."""

from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semif.admission import Admission
from semif.busy import Busy
from tests.unit.semif.waiting import Clock, queue_of


@given(st.lists(st.booleans(), max_size=30), st.integers(1, 4))
def test_places_are_never_lost_nor_made(steps: list[bool], places: int) -> None:
    """After any comings and goings as many are inside as hold a place, and never more than there are."""
    admitted = Admission(places, queue_of(Clock()))
    inside: list[ExitStack] = []
    for enter in steps:
        if not enter:
            if inside:
                inside.pop().close()
            continue
        stack = ExitStack()
        try:
            stack.enter_context(admitted.place())
        except Busy:
            assert len(inside) == places
        else:
            inside.append(stack)
    assert len(inside) <= places


def test_who_sends_a_body_holds_no_place() -> None:
    """However many bodies are being read, every place is free; only their number is bounded."""
    admitted = Admission(1, queue_of(Clock()), readers=2)
    with admitted.reading(), admitted.reading():
        with admitted.place():
            pass
        with pytest.raises(Busy) as busy, admitted.reading():
            pass
    with admitted.reading():
        pass

    assert busy.value.reason == "no_place"


def test_no_body_is_read_where_no_place_is_free() -> None:
    """Who would find no place is told so before sending anything."""
    admitted = Admission(1, queue_of(Clock()))

    with admitted.place(), pytest.raises(Busy) as busy, admitted.reading():
        pass

    assert busy.value.reason == "no_place"


def test_closed_admission_lets_nobody_in() -> None:
    """After a stop nobody comes in, whatever is free."""
    admitted = Admission(5, queue_of(Clock()))
    admitted.close()

    for entrance in (admitted.place, admitted.reading):
        with pytest.raises(Busy) as busy, entrance():
            pass
        assert busy.value.reason == "stopping"
