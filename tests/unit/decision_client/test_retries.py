"""How long a refused request waits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision_client.retries import RetryRules


@given(asked=st.none() | st.floats(0, 86_400), tries=st.integers(1, 2000), chance=st.floats(0, 1))
def test_wait_is_never_shorter_than_asked_nor_longer_than_its_bound(
    asked: float | None, tries: int, chance: float
) -> None:
    """It lies between what was asked for and one and a half times the greater of that and the cap."""
    wait = RetryRules().wait(asked, tries=tries, chance=chance)

    assert max(1, asked or 0) <= wait <= 1.5 * max(8, asked or 0)


@given(asked=st.none() | st.floats(0, 100), tries=st.integers(1, 50))
def test_wait_never_shrinks_and_grows_only_where_it_is_shorter_than_the_cap(asked: float | None, tries: int) -> None:
    """What the container asks for is not doubled."""
    rules = RetryRules()

    first, second = (rules.wait(asked, tries=count, chance=0) for count in (tries, tries + 1))

    assert second in {first, max(asked or 0, min(8, 2.0**tries))}
    assert second >= first


def test_wait_without_a_time_asked_for_doubles_from_one_second() -> None:
    """As the runbook says: 1, 2, 4 and then 8 s, and up to half as long again."""
    rules = RetryRules()

    assert [rules.wait(None, tries=count, chance=0) for count in range(1, 7)] == [1, 2, 4, 8, 8, 8]
    assert rules.wait(None, tries=1, chance=1) == 1.5


def test_wait_that_is_asked_for_stays_as_it_is_until_doubling_exceeds_it() -> None:
    """A container that asks for 5 s is asked again after 5, 5, 5 and then 8 s."""
    assert [RetryRules().wait(5, tries=count, chance=0) for count in range(1, 6)] == [5, 5, 5, 8, 8]


@pytest.mark.parametrize(
    ("field", "value"), [("first_seconds", 0), ("first_seconds", 9), ("cap_seconds", float("inf")), ("failures", -1)]
)
def test_rules_that_make_no_sense_are_refused(field: str, value: float) -> None:
    """The field is named."""
    with pytest.raises(ValueError, match=f"{'first_seconds' if field == 'cap_seconds' else field}: "):
        RetryRules(**{field: value})  # type: ignore[arg-type] # the field's own type, or a wrong value of it
