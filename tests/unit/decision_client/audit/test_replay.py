"""A decision asked again."""

from typing import Any

import pytest

from decision_client.audit.replay import Verdict, replayed
from tests.unit.decision_client.audit.records import decision
from tests.unit.decision_client.samples import IDENTITY, answer


@pytest.mark.parametrize(
    ("changed", "floor", "verdict"),
    [
        ({}, 0.0, Verdict.IDENTICAL),
        ({}, 0.5, Verdict.IDENTICAL),
        ({"option_logits": [3.0, 1.25, 0.0]}, 0.0, Verdict.DIFFERENT),
        ({"option_logits": [3.0, 1.25, 0.0]}, 0.25, Verdict.WITHIN_FLOOR),
        ({"option_logits": [3.0, 1.25, 0.0]}, 0.2, Verdict.DIFFERENT),
        ({"option_logits": [3.0000000000000004, 1.0, 0.0]}, 0.0, Verdict.DIFFERENT),
        ({"allowed_token_mass": 0.8999}, 0.0, Verdict.DIFFERENT),
        ({"allowed_token_mass": 0.8999}, 0.1, Verdict.WITHIN_FLOOR),
        ({"allowed_token_mass": 0.74}, 0.1, Verdict.WITHIN_FLOOR),
        ({"allowed_token_mass": 0.73}, 0.1, Verdict.DIFFERENT),
        ({"allowed_token_mass": 0.0}, 5.0, Verdict.DIFFERENT),
    ],
)
def test_verdict_follows_the_greatest_difference(changed: dict[str, Any], floor: float, verdict: Verdict) -> None:
    """Without a floor only the same bits are the same; a mass of 0.9 falls to 0.9 e^-0.2 = 0.737 by noise of 0.1."""
    assert replayed(decision(1), answer(**changed), floor).verdict is verdict


def test_changed_choice_is_seen_within_the_floor_too() -> None:
    """Numbers that differ by noise alone may still decide otherwise."""
    found = replayed(decision(1), answer(choice="billing", option_logits=[3.0, 3.1, 0.0]), 2.5)

    assert found.verdict is Verdict.WITHIN_FLOOR
    assert (found.same_choice, found.recorded_choice, found.choice) == (False, "account", "billing")
    assert found.distance == pytest.approx(2.1)


def test_changed_identity_is_seen() -> None:
    """It is what explains another number."""
    found = replayed(decision(1), answer(model={**IDENTITY, "threads": 4}), 0.0)

    assert (found.verdict, found.same_identity) == (Verdict.IDENTICAL, False)
    assert replayed(decision(1), answer(), 0.0).same_identity
