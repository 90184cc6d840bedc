"""The waits of a client that was refused."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.load.backoff import Backoff
from semif.admission import LONGEST_WAIT_SECONDS

RUNBOOK = Path(__file__).parents[3] / "docs" / "operations.md"

ASKED = st.floats(min_value=0, max_value=100)
REFUSALS = st.integers(min_value=1, max_value=10_000)
CHANCE = st.floats(min_value=0, max_value=1)


@given(ASKED, REFUSALS, CHANCE)
def test_wait_is_never_shorter_than_asked_nor_longer_than_the_cap_and_its_random_part(
    asked: float, refusals: int, chance: float
) -> None:
    """A client honours the container's wish, and is not kept away for ever by it."""
    backoff = Backoff(cap_seconds=8)

    wait = backoff.wait(asked, refusals=refusals, chance=chance)

    assert min(asked, 8) <= wait <= 12


def test_wait_doubles_with_each_refusal_up_to_the_cap() -> None:
    """A container that stays busy is asked less and less often."""
    backoff = Backoff(cap_seconds=8)

    waits = [backoff.wait(1, refusals=refusals, chance=0) for refusals in (1, 2, 3, 4, 5)]

    assert waits == [1, 2, 4, 8, 8]


def test_wait_is_spread_by_chance() -> None:
    """Clients that were refused together do not come back together."""
    backoff = Backoff()

    assert backoff.wait(2, refusals=1, chance=0) == 2
    assert backoff.wait(2, refusals=1, chance=1) == pytest.approx(3)


def test_wait_asked_for_in_the_past_is_none() -> None:
    """A negative wish is no wait, and nothing breaks."""
    assert Backoff().wait(-1, refusals=1, chance=0.5) == 0


def test_figures_are_the_documented_ones() -> None:
    """What the runbook asks of a client at 503 is what the load test's clients do."""
    (row,) = [line for line in RUNBOOK.read_text().splitlines() if line.startswith("| 503 | not now |")]

    asked = re.search(r"doubled .* \((\d+) s at most\) .* half .*; (\d+) tries and (\d+) s in all", row)

    assert asked
    assert tuple(map(int, asked.groups())) == (Backoff().cap_seconds, Backoff().attempts, Backoff().patience_seconds)


def test_cap_is_the_longest_wait_the_container_asks_for() -> None:
    """A client that follows the runbook never comes back sooner than it was asked to."""
    assert Backoff().cap_seconds == LONGEST_WAIT_SECONDS
    assert Backoff().wait(LONGEST_WAIT_SECONDS, refusals=1, chance=0) == LONGEST_WAIT_SECONDS
