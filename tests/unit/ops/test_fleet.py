"""A fleet as SageMaker describes it."""

from typing import Any

import pytest

from config.loader import load
from evidence.autoscaling import Fleet
from ops.evidence.fleet import ScaledEndpoint
from tests.unit.ops.bench_container import FakeSageMaker
from tests.unit.ops.fake_account import error


@pytest.mark.parametrize(
    ("described", "seen"),
    [
        ([{"CurrentInstanceCount": 1, "DesiredInstanceCount": 2}], Fleet(1, 2)),
        ([{}], None),
        ([], None),
        ([{"CurrentInstanceCount": 1, "DesiredInstanceCount": 2}] * 2, None),
        (error("ThrottlingException"), None),
    ],
)
def test_a_fleet_is_seen_as_sagemaker_describes_it(described: Any, seen: Fleet | None) -> None:
    """While an endpoint is created or SageMaker is busy there is nothing to see, and the run goes on."""
    scaling = load("local").decision.scaling
    assert scaling
    sagemaker: Any = FakeSageMaker(described)

    scaled = ScaledEndpoint(sagemaker, "semif-local-decision", scaling)

    assert scaled.fleet() == seen
    assert (scaled.metric, scaled.value) == ("concurrent_requests_per_model", 3)
