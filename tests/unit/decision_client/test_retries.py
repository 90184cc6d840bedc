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

    assert (asked or 0) <= wait <= 1.5 * max(30, asked or 0)
    assert wait >= 1 or asked is None


@given(asked=st.none() | st.floats(0, 100), tries=st.integers(1, 50))
def test_wait_grows_with_every_try(asked: float | None, tries: int) -> None:
    """It doubles until the cap, and stays there."""
    rules = RetryRules()

    first, second = (rules.wait(asked, tries=count, chance=0) for count in (tries, tries + 1))

    assert second in {first, 2 * first, 30.0}
    assert second >= first


def test_wait_without_a_time_asked_for_doubles_from_one_second() -> None:
    """As the runbook says: 1, 2, 4, 8, 16 and then 30 s, and up to half as long again."""
    rules = RetryRules()

    assert [rules.wait(None, tries=count, chance=0) for count in range(1, 8)] == [1, 2, 4, 8, 16, 30, 30]
    assert rules.wait(None, tries=1, chance=1) == 1.5


@pytest.mark.parametrize(
    ("field", "value"), [("first_seconds", 0), ("first_seconds", 31), ("cap_seconds", float("inf")), ("failures", -1)]
)
def test_rules_that_make_no_sense_are_refused(field: str, value: float) -> None:
    """The field is named."""
    with pytest.raises(ValueError, match=f"{'first_seconds' if field == 'cap_seconds' else field}: "):
        RetryRules(**{field: value})  # type: ignore[arg-type] # the field's own type, or a wrong value of it
