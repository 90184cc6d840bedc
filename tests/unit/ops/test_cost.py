"""What an environment costs: sums of given prices, decisions at measured throughputs, and what is assumed."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.loader import load
from config.rules import ConfigurationError
from config.scaling import Scaling
from config.settings import Settings
from ops.costs.cost import cost
from ops.costs.prices import Prices, read_prices
from ops.costs.throughput import Throughput
from ops.evidence.bench_target import recorded_name
from tests.unit.evidence.synthetic import identity
from tests.unit.ops.price_file import documented
from tests.unit.ops.test_billed import PRICES as TABLE

PRICES = Prices.model_validate(
    {
        "currency": "USD",
        "region": "eu-central-1",
        "date": "2026-11-30",
        "source": "a list",
        "instances": {
            "ml.c6i.2xlarge": {"per_hour": "0.5"},
            "ml.c6i.8xlarge": {"per_hour": "1.8"},
            "ml.g6e.xlarge": {"per_hour": "3"},
            "ml.g6.2xlarge": {"per_hour": "1.5"},
            "ml.g5.2xlarge": {"per_hour": "2"},
            "ml.g4dn.2xlarge": {"per_hour": "1"},
        },
    }
)


def _ran(settings: Settings, *, per_second: float = 2.0, instances: int | None = None, **changed: Any) -> Throughput:
    """A phase that was answered by a machine as the settings want it."""
    gguf = {"file": settings.model.file, "bytes": settings.model.bytes, "sha256": settings.model.sha256}
    record = identity(**{"gguf": gguf, "threads": settings.decision.threads, **changed})
    return Throughput("closed-4", per_second, (record,), instances)


def _scaled(settings: Settings, *, count: int, most: int) -> Settings:
    scaling = Scaling(
        metric="invocations_per_instance",
        target_value=10,
        min_instance_count=1,
        max_instance_count=most,
        scale_in_cooldown_seconds=1,
        scale_out_cooldown_seconds=1,
    )
    decision = settings.decision.model_copy(update={"initial_instance_count": count, "scaling": scaling})
    return settings.model_copy(update={"decision": decision})


def test_an_hour_is_the_sum_of_both_endpoints() -> None:
    """One instance each: 0.5 and 1.8."""
    found = cost(load("dev"), PRICES)

    assert [each.per_hour.low for each in found.fleets] == [Decimal("0.5"), Decimal("1.8")]
    assert (found.per_hour.low, found.per_hour.high) == (Decimal("2.3"), Decimal("2.3"))
    assert not found.per_hour.prices_assumed


def test_a_pool_is_a_range_by_the_hour_and_a_figure_for_each_member() -> None:
    """Whichever can be had first is what is billed."""
    settings = load("prod")

    found = cost(settings, PRICES, [_ran(settings, device="NVIDIA L4", backend="CUDA")], recorded_name(settings))

    assert (found.per_hour.low, found.per_hour.high) == (Decimal("1.5"), Decimal("3.5"))
    each = {one.instance_type: one.per_1000.throughput_assumed for one in found.decisions}
    assert each.pop("ml.g6.2xlarge") == ()
    assert each == {
        name: (f"{name} is as fast as NVIDIA L4, which was measured",)
        for name in ("ml.g6e.xlarge", "ml.g5.2xlarge", "ml.g4dn.2xlarge")
    }


def test_a_thousand_decisions_cost_the_share_of_an_hour_that_they_took() -> None:
    """At two a second they take 500 seconds, of an hour at 1.8: 0.25, measured with given prices."""
    settings = load("dev")

    (one,) = cost(settings, PRICES, [_ran(settings)], recorded_name(settings)).decisions

    assert one.per_1000.low == one.per_1000.high == Decimal("0.25")
    assert not one.per_1000.prices_assumed + one.per_1000.throughput_assumed


@pytest.mark.parametrize(("seen", "counted"), [(None, 2), (3, 3)])
def test_every_instance_that_took_part_is_paid(seen: int | None, counted: int) -> None:
    """As many as the run saw in service, or else as many as a deployment starts; what scaling may come to is told."""
    settings = _scaled(load("dev"), count=2, most=7)

    found = cost(settings, PRICES, [_ran(settings, instances=seen)], recorded_name(settings))

    assert float(found.decisions[0].per_1000.low) == pytest.approx(counted * 0.25)
    assert found.fleets[1].per_hour.low == 2 * Decimal("1.8")
    assert found.fleets[1].per_hour_at_most.low == 7 * Decimal("1.8")


def test_a_container_that_is_asked_by_its_address_is_one_instance_and_another_machine() -> None:
    """What it measured is assumed of the environment."""
    settings = _scaled(load("dev"), count=2, most=7)

    (one,) = cost(settings, PRICES, [_ran(settings)], "http://127.0.0.1:8080").decisions

    assert one.per_1000.low == Decimal("0.25")
    assert one.per_1000.throughput_assumed == ("dev is as fast as http://127.0.0.1:8080, which was measured",)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"gguf": {"file": "tiny.gguf", "bytes": 7, "sha256": "a" * 64}}, "its model is as fast as tiny.gguf"),
        ({"threads": 2}, "32 threads are as fast as 2"),
        ({"device": "NVIDIA L4"}, "ml.c6i.8xlarge is as fast as NVIDIA L4"),
    ],
)
def test_a_throughput_of_something_else_is_assumed(changed: dict[str, Any], reason: str) -> None:
    """Another model, other threads, another machine than the environment's file names."""
    settings = load("dev")

    (one,) = cost(settings, PRICES, [_ran(settings, **changed)], recorded_name(settings)).decisions

    assert [each.partition(", which")[0] for each in one.per_1000.throughput_assumed] == [reason]


def test_an_l40s_is_no_l4() -> None:
    """A GPU's name is compared as a word: the one is the beginning of the other."""
    settings = load("prod")

    found = cost(settings, PRICES, [_ran(settings, device="NVIDIA L40S", backend="CUDA")], recorded_name(settings))

    assert [one.instance_type for one in found.decisions if not one.per_1000.throughput_assumed] == ["ml.g6e.xlarge"]


def test_a_phase_of_several_runtimes_or_a_growing_fleet_has_no_figure() -> None:
    """Its throughput belongs to no instance type and no number of them."""
    settings = load("dev")
    mixed = _ran(settings)
    mixed = Throughput("closed-4", 10.0, (*mixed.identities, identity()))
    growing = _ran(settings, instances=0)

    found = cost(settings, PRICES, [mixed, growing], recorded_name(settings))

    assert found.decisions == []
    assert [sentence.partition(": ")[2] for sentence in found.unpriced] == [
        "answers of 2 different runtimes have no throughput in common",
        "instances were added meanwhile",
    ]


def test_prices_of_another_region_are_assumed() -> None:
    """As far as the environment's file names one."""
    settings = load("dev")
    there = settings.model_copy(update={"environment": settings.environment.model_copy(update={"region": "us-east-1"})})

    assert cost(there, PRICES).per_hour.prices_assumed == ("the prices are those of eu-central-1, not of us-east-1",)


def test_a_type_without_a_price_is_refused() -> None:
    """A sum without it would be too low, and no sentence beside it makes it right."""
    instances = {name: price for name, price in PRICES.instances.items() if name != "ml.g5.2xlarge"}

    with pytest.raises(ConfigurationError, match=r"has no ml\.g5\.2xlarge, which prod may run"):
        cost(load("prod"), PRICES.model_copy(update={"instances": instances}))


@given(per_second=st.floats(1e-6, 1e9))
def test_decisions_of_an_hour_cost_that_hour(per_second: float) -> None:
    """Whatever the throughput: as many as an hour holds cost what the hour costs."""
    settings = load("dev")
    one = _ran(settings, per_second=per_second)

    (found,) = cost(settings, PRICES, [one], recorded_name(settings)).decisions

    assert float(found.per_1000.low) * one.per_second * 3600 / 1000 == pytest.approx(1.8)


def test_documented_prices_are_those_of_the_runbooks_table(tmp_path: Path) -> None:
    """The example says of each type what the table says."""
    for name, price in read_prices(documented(tmp_path)).instances.items():
        assert price.per_hour == TABLE[name]
