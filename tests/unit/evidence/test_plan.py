"""Which requests a phase has."""

import json
import math
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evidence.plan import SEQUENTIAL, closed, opened, requests
from evidence.run import missing
from tests.unit.evidence.fake_endpoint import tasks

STATES = st.lists(st.sampled_from(["x", "y", "[1]", [1], [1.0], [True], {"a": 1}]), min_size=1, max_size=12)


@given(states=STATES, repeat=st.integers(1, 3), rotations=st.integers(1, 4), together=st.integers(1, 4))
def test_every_decision_of_a_closed_phase_is_asked_once(
    states: list[object], repeat: int, rotations: int, together: int
) -> None:
    """Each task, repeat and order of its three options; a task has no more orders than options."""
    made = requests(closed(4), tasks(len(states), state=states.__getitem__), repeat, rotations, together)

    keys = Counter(item.key for request in made for item in request)
    assert set(keys.values()) == {1}
    assert len(keys) == len(states) * repeat * min(rotations, 3)


@given(states=STATES, together=st.integers(1, 4))
def test_decisions_of_one_request_are_about_one_state(states: list[object], together: int) -> None:
    """By its JSON text, in which 1, 1.0 and true differ; as few requests as that takes, none with more than may be."""
    made = requests(SEQUENTIAL, tasks(len(states), state=states.__getitem__), 1, 1, together)

    for request in made:
        assert len({json.dumps(item.task.state) for item in request}) == 1
        assert len(request) <= together
    of_state = Counter(json.dumps(state) for state in states)
    assert len(made) == sum(math.ceil(count / together) for count in of_state.values())


@given(by=st.integers(0, 20))
def test_rotation_moves_options_and_nothing_else(by: int) -> None:
    """So many places to the front, round and round; what is right stays right."""
    (task,) = tasks(1)
    ids = [option.id for option in task.options]

    turned = task.rotated(by)

    assert [option.id for option in turned.options] == [ids[(place + by) % 3] for place in range(3)]
    assert (turned.gold, turned.id, turned.state, turned.question) == (task.gold, task.id, task.state, task.question)


@given(number=st.integers(1, 5), rate=st.floats(0.1, 10), seconds=st.floats(0.1, 20))
def test_an_open_phase_goes_round_until_its_time_is_over(number: int, rate: float, seconds: float) -> None:
    """As many requests as begin in that time, at least one, every task before any again."""
    made = requests(opened(rate, seconds), tasks(number), 1, 1, 1)

    assert len(made) == max(1, round(rate * seconds))
    assert [request[0].task.id for request in made] == [f"t{place % number}" for place in range(len(made))]
    assert len({request[0].key for request in made}) == len(made)


@given(states=STATES, answered=st.sets(st.integers(0, 11)))
def test_what_is_answered_is_not_missing(states: list[object], answered: set[int]) -> None:
    """And everything else is, in its order; a request of which nothing is missing is gone."""
    made = requests(SEQUENTIAL, tasks(len(states), state=states.__getitem__), 1, 1, 3)
    every = [item.key for request in made for item in request]
    there = {key for place, key in enumerate(every) if place in answered}

    left = missing(made, there)

    assert [item.key for request in left for item in request] == [key for key in every if key not in there]
    assert all(left)
