"""The instances of a deployed endpoint are the variant's that its stack asked for, or the deployment fails."""

import pytest

from check_endpoint import on_event
from tests.unit.handlers.archives import request
from tests.unit.handlers.fake_endpoint import (
    FakeEndpoint,
    properties,
    refusal,
)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"CurrentInstanceCount": 1}, "CurrentInstanceCount: wanted 2, found 1"),
        ({"CurrentInstanceCount": None}, "CurrentInstanceCount: wanted 2, found null"),
        ({"VariantName": "Other"}, 'VariantName: wanted ["AllTraffic"], found ["Other"]'),
        ({"DeployedImages": []}, "SpecifiedImage: wanted"),
        ({"DeployedImages": [{"SpecifiedImage": "a", "ResolvedImage": "a@sha256:" + "e" * 64}]}, "ResolvedImage"),
        (
            {"InstancePools": [{"InstanceType": "ml.p5.48xlarge", "CurrentInstanceCount": 2}]},
            'InstancePools[0].InstanceType: wanted ["ml.g6e.xlarge", "ml.g5.2xlarge"], found "ml.p5.48xlarge"',
        ),
    ],
)
def test_fleet_that_is_not_the_variant_s_is_refused(change: dict[str, object], said: str) -> None:
    """Number of instances, image digest and pool members are looked at where they run."""
    fake = FakeEndpoint()
    fake.endpoint["ProductionVariants"][0] |= change

    assert said in refusal(fake)


def test_second_fleet_is_refused() -> None:
    """An endpoint has the one variant that its stack gave it."""
    fake = FakeEndpoint()
    fake.endpoint["ProductionVariants"] *= 2

    assert 'found ["AllTraffic", "AllTraffic"]' in refusal(fake)


@pytest.mark.parametrize(("count", "passes"), [(1, True), (7, True), (0, False), (None, False)])
def test_scaled_endpoint_may_have_any_number_of_instances_but_none(count: int | None, *, passes: bool) -> None:
    """Where scaling decides, the number in the template is only the first one."""
    fake, event = FakeEndpoint(), request("Create", properties(changes={"Scaled": "true"}))
    fake.endpoint["ProductionVariants"][0]["CurrentInstanceCount"] = count

    if passes:
        assert on_event(event, None, fake.clients)["Data"]
    else:
        assert 'CurrentInstanceCount: wanted "at least 1"' in refusal(fake, properties(changes={"Scaled": "true"}))
