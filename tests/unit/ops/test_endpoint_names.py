from typing import Any

import pytest
from botocore.exceptions import ClientError

from config.loader import load
from ops.deployment.endpoint_names import renamings
from tests.unit.ops.fake_stacks import FakeStacks

SETTINGS = load("dev")
DEPLOYED = {
    "semif-dev-chat": {"EndpointName": SETTINGS.chat.endpoint_name},
    "semif-dev-decision": {"EndpointName": SETTINGS.decision.endpoint_name},
}


def _renamings(stacks: Any) -> list[str]:
    return renamings(stacks, SETTINGS)


@pytest.mark.parametrize("stacks", [{}, DEPLOYED, {"semif-dev-chat": {}}])
def test_first_deployment_and_the_same_names_are_no_renaming(stacks: dict[str, dict[str, str]]) -> None:
    """What is not deployed yet, never came up or keeps its name is not refused."""
    assert _renamings(FakeStacks(stacks)) == []


def test_renamed_endpoint_is_refused_with_both_names_and_the_way() -> None:
    """The sentence names setting, stack and both names, and says how to move and what to do if nobody calls it."""
    (sentence,) = _renamings(FakeStacks(DEPLOYED | {"semif-dev-chat": {"EndpointName": "older"}}))

    assert sentence.startswith("chat.endpoint_name: semif-dev-chat serves older; semif-dev-chat would take it away")
    assert "second environment" in sentence
    assert "destroy semif-dev-chat first" in sentence


def test_stack_that_may_not_be_seen_is_not_taken_for_absent() -> None:
    """An error other than absence is not swallowed."""
    with pytest.raises(ClientError, match="not authorized"):
        _renamings(FakeStacks({}, error="not authorized"))
