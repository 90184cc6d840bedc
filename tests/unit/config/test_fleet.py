"""How a fleet scales and is replaced: what the service would refuse, or what could not work, is refused before it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from config.guardrails import Canary, Rolling, check_batches
from config.loader import load
from tests.unit.config.environment_files import changed, refusal

LIMITS = ("[decision.limits]", "[decision.limits]")
# What stands around the decision endpoint's count in dev.toml, and around no other.
BESIDE = (
    "startup_health_check_timeout_seconds = 900\nmodel_data_download_timeout_seconds = 900\n"
    "context_tokens = 4096\nthreads"
)
SCALING = {
    "metric": '"concurrent_requests_per_model"',
    "target_value": "3",
    "min_instance_count": "1",
    "max_instance_count": "4",
    "scale_in_cooldown_seconds": "600",
    "scale_out_cooldown_seconds": "60",
}
GUARDRAILS = {
    "strategy": '"canary"',
    "batch_percent": "50",
    "wait_interval_seconds": "300",
    "termination_wait_seconds": "300",
    "max_engine_errors": "0",
    "max_p95_model_latency_seconds": "10",
    "maximum_execution_timeout_seconds": "3600",
}


def table(name: str, keys: dict[str, str]) -> tuple[str, str]:
    """Return the change that puts a table before the decision endpoint's limits."""
    lines = "".join(f"{key} = {value}\n" for key, value in keys.items())
    return LIMITS[0], f"[decision.{name}]\n{lines}\n{LIMITS[0]}"


def instances(count: int) -> tuple[str, str]:
    """Return the change that starts the decision endpoint of dev with so many instances."""
    return f"initial_instance_count = 1\n{BESIDE}", f"initial_instance_count = {count}\n{BESIDE}"


def test_absent_tables_are_off(tmp_path: Path) -> None:
    """Without the tables nothing scales and nothing but SageMaker's own default replaces a fleet."""
    hosting = load("dev", changed(tmp_path, "dev")).decision

    assert (hosting.scaling, hosting.guardrails) == (None, None)


@pytest.mark.rule(
    "Scaling and deployment batches that SageMaker would refuse are refused at synth", tool="pydantic", emulated=""
)
@pytest.mark.parametrize(
    ("keys", "key", "rule"),
    [
        ({"min_instance_count": "0"}, "scaling.min_instance_count", "at least 1"),
        ({"min_instance_count": "2"}, "initial_instance_count", "is 1, outside of scaling's 2 to 4"),
        ({"max_instance_count": "1"}, "scaling.max_instance_count", "more than min_instance_count, 1"),
        ({"target_value": "5"}, "scaling.target_value", "below the 5 requests an instance takes"),
        ({"target_value": "0"}, "scaling.target_value", "greater than 0"),
        ({"metric": '"cpu"'}, "scaling.metric", "'concurrent_requests_per_model' or 'invocations_per_instance'"),
        ({"scale_in_cooldown_seconds": "3601"}, "scaling.scale_in_cooldown_seconds", "less than or equal to 3600"),
    ],
)
def test_scaling_that_could_not_work_is_refused(tmp_path: Path, keys: dict[str, str], key: str, rule: str) -> None:
    """Bounds enclose the initial count, and a target lies below what an instance takes."""
    sentence = refusal(tmp_path, "dev", table("scaling", SCALING | keys))

    assert f"dev.toml: decision.{key}: " in sentence
    assert rule in sentence


def test_invocations_may_be_more_than_an_instance_s_places(tmp_path: Path) -> None:
    """A target of requests a minute is not bounded by how many are inside at once."""
    keys = {"metric": '"invocations_per_instance"', "target_value": "120"}

    scaling = load("dev", changed(tmp_path, "dev", table("scaling", SCALING | keys))).decision.scaling

    assert scaling
    assert scaling.target_value == 120


@pytest.mark.parametrize(
    ("count", "keys", "key", "rule"),
    [
        (1, {}, "strategy", "use all_at_once, or at least 2 instances"),
        (2, {"batch_percent": "49"}, "batch_percent", "49 % of 2 instances is less than one: at least 50"),
        (4, {"batch_percent": "51"}, "batch_percent", "less than or equal to 50"),
        (20, {"strategy": '"linear"', "batch_percent": "9"}, "batch_percent", "greater than or equal to 10"),
        (2, {"wait_interval_seconds": "299"}, "wait_interval_seconds", "greater than or equal to 300"),
        (
            2,
            {"maximum_execution_timeout_seconds": "600"},
            "maximum_execution_timeout_seconds",
            "more than the 600 s the deployment waits",
        ),
        (2, {"strategy": '"shadow"'}, "", "'all_at_once', 'canary', 'linear', 'rolling'"),
        (2, {"max_engine_errors": "-1"}, "max_engine_errors", "greater than or equal to 0"),
        (2, {"max_p95_model_latency_seconds": "61"}, "max_p95_model_latency_seconds", "less than or equal to 60"),
    ],
)
def test_guardrails_that_could_not_work_are_refused(
    tmp_path: Path, count: int, keys: dict[str, str], key: str, rule: str
) -> None:
    """Batches are within the service's bounds and at least one instance, and waits long enough for an alarm."""
    sentence = refusal(tmp_path, "dev", instances(count), table("guardrails", GUARDRAILS | keys))

    assert f"dev.toml: decision.guardrails{key and '.'}{key}: " in sentence
    assert rule in sentence


def test_guardrails_without_strategy_are_refused_by_that_key(tmp_path: Path) -> None:
    """The strategy decides which keys there are."""
    keys = {key: value for key, value in GUARDRAILS.items() if key != "strategy"}

    sentence = refusal(tmp_path, "dev", table("guardrails", keys))

    assert "dev.toml: decision.guardrails: strategy is required and missing." in sentence


def test_batches_are_cut_from_the_smallest_fleet_that_scaling_allows(tmp_path: Path) -> None:
    """Three instances at first are no help where scaling may leave one."""
    tables = table("guardrails", GUARDRAILS)[1].replace(LIMITS[0], table("scaling", SCALING)[1])

    assert "decision.guardrails.strategy: canary moves" in refusal(tmp_path, "dev", instances(3), (LIMITS[0], tables))


@given(percent=st.integers(5, 50), fleet=st.integers(1, 40))
def test_accepted_batch_is_at_least_one_instance_and_at_most_half_the_fleet(percent: int, fleet: int) -> None:
    """Whatever is not refused can be carried out, and nothing else is refused."""
    common = {"max_engine_errors": 0, "max_p95_model_latency_seconds": 1, "maximum_execution_timeout_seconds": 28800}
    rolling = Rolling.model_validate(
        {**common, "strategy": "rolling", "batch_percent": percent, "wait_interval_seconds": 300}
    )
    batch = percent * fleet / 100

    if 1 <= batch <= fleet / 2:
        check_batches(rolling, fleet)
    else:
        with pytest.raises(PydanticCustomError):
            check_batches(rolling, fleet)


def test_canary_waits_twice() -> None:
    """Once for the canary, once before the old fleet goes."""
    keys = {"strategy": "canary", "batch_percent": 10, "wait_interval_seconds": 400, "termination_wait_seconds": 300}
    limits = {"max_engine_errors": 0, "max_p95_model_latency_seconds": 1, "maximum_execution_timeout_seconds": 701}

    assert Canary.model_validate(keys | limits).waiting_seconds == 700
