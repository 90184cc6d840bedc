"""Which state stays and which one goes."""

from hypothesis import given
from hypothesis import strategies as st

from semif.llama.resident import ResidentStates

prefixes = st.lists(st.tuples(st.integers(0, 5)), max_size=40)


@given(st.integers(1, 4), prefixes)
def test_the_most_recently_used_states_stay(places: int, asked: list[tuple[int]]) -> None:
    """After any requests exactly the last different prefixes are held, each in a sequence of its own."""
    states = ResidentStates(places)
    for prefix in asked:
        if states.find(prefix) is None:
            states.hold(prefix, states.claim())

    recent = list(dict.fromkeys(reversed(asked)))[:places]
    held = {prefix: states.find(prefix) for prefix in recent}
    assert len(states) == len(recent)
    assert None not in held.values()
    assert len(set(held.values())) == len(recent)
    assert set(held.values()) <= set(range(places))


def test_a_claim_that_fails_holds_nothing() -> None:
    """Between claim and hold the sequence belongs to nobody; another prefix gets it."""
    states = ResidentStates(1)
    states.hold((1,), states.claim())

    first = states.claim()

    assert (1,) not in states
    assert states.claim() == first == 0


def test_cleared_and_released_sequences_are_free_again() -> None:
    """Nothing is found after a clear, and every sequence can be claimed."""
    states = ResidentStates(2)
    states.hold((1,), states.claim())
    states.hold((2,), states.claim())
    states.release((1,))
    assert (len(states), (1,) in states) == (1, False)

    states.clear()

    assert len(states) == 0
    states.hold((3,), states.claim())
    states.hold((4,), states.claim())
    assert {states.find((3,)), states.find((4,))} == {0, 1}
