"""What the digest of a definition is of."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.decision_client.samples import DEFINITION

CHANGES: dict[str, Any] = {
    "type": "score",
    "question": "Which?",
    "options": DEFINITION.options[::-1],
    "abstain_option": None,
}


@given(st.sets(st.sampled_from(sorted(CHANGES))))
def test_digest_is_of_everything_that_is_asked(changed: set[str]) -> None:
    """Any change of question, options, their order, type or abstain option is another digest; a new version is none."""
    edited = DEFINITION.model_copy(update={name: CHANGES[name] for name in changed})

    assert (edited.reference.sha256 == DEFINITION.reference.sha256) is (not changed)
    assert DEFINITION.model_copy(update={"version": "9"}).reference.sha256 == DEFINITION.reference.sha256


def test_digest_stays_what_policies_were_made_with() -> None:
    """It is in files of other people: another way to compute it would uncover every policy."""
    assert DEFINITION.reference.sha256 == "b9852aa7d190a6373001c9383dc90c27fc4ac529e11c86c3a6dd02d3e549b0d8"
