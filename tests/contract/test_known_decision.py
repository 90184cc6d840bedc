"""The one decision everybody knows: container, post-deploy check and operator's command may not import each other."""

import decision_answer
from ops.ask import SUPPORT_ROUTE
from semif import golden


def test_known_decision_is_the_same_in_every_room() -> None:
    """What the check and the operator ask is the decision whose prompt the container proves at its start."""
    known = golden.SUPPORT_ROUTE
    wire = {
        "id": known.id,
        "state": known.state,
        "question": known.question,
        "options": [{"id": option.id, "description": option.description} for option in known.options],
    }

    assert wire == SUPPORT_ROUTE
    assert {"decision": wire} == decision_answer.QUESTION
