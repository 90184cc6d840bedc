"""An endpoint that cannot be described yet is waited for, within bounds, before it is asked."""

import pytest

from check_endpoint import on_event
from tests.unit.handlers.archives import request
from tests.unit.handlers.fake_endpoint import (
    FakeEndpoint,
    failed,
    properties,
    refusal,
)


def test_endpoint_that_scales_at_the_moment_is_waited_for() -> None:
    """An endpoint comes back to InService by itself when scaling or a patch by AWS is done."""
    fake = FakeEndpoint(statuses=["Updating", "SystemUpdating"])

    assert on_event(request("Create", properties()), None, fake.clients)["Data"]
    assert fake.slept == [2, 4]


def test_endpoint_that_never_settles_is_refused_in_bounded_time() -> None:
    """Patience ends after seven minutes, with the status it was last seen in."""
    fake = FakeEndpoint(statuses=["Updating"] * 999)

    assert 'EndpointStatus: wanted "InService", found "Updating"' in refusal(fake)
    assert 360 < sum(fake.slept) <= 420


@pytest.mark.parametrize("operation", ["describe_endpoint", "describe_endpoint_config", "describe_model"])
def test_description_that_is_denied_is_asked_for_again_and_then_named(operation: str) -> None:
    """A policy of a moment ago may not be seen everywhere yet; one that lacks the action is said to."""
    late = FakeEndpoint(errors={operation: [failed("AccessDeniedException")] * 2})
    assert on_event(request("Create", properties()), None, late.clients)["Data"]
    assert late.slept == [1, 2]

    never = FakeEndpoint(errors={operation: [failed("AccessDeniedException")] * 9})
    said = refusal(never)
    assert "cannot be compared with what was deployed: An error occurred (AccessDeniedException)" in said
    assert sum(never.slept) == 15


def test_endpoint_that_is_gone_is_refused_at_once() -> None:
    """What is not there is not waited for."""
    fake = FakeEndpoint(errors={"describe_endpoint": [failed("ValidationException")]})

    assert "(ValidationException)" in refusal(fake)
    assert fake.slept == []
