"""What an environment costs by the hour, and 1,000 of its decisions at a throughput that was measured."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from config.instance_type import InstanceType
from config.rules import ConfigurationError
from config.settings import Settings
from decision_client.identity import Identity
from ops.costs.billed import Fleet, fleets
from ops.costs.figure import Figure, one_of, total
from ops.costs.prices import Prices
from ops.costs.throughput import Throughput
from ops.evidence.bench_target import recorded_name

# What a machine with one of them says of itself is the name of its GPU.
_GPUS: Final = {"g4dn": "T4", "g5": "A10G", "g6": "L4", "g6e": "L40S", "p4d": "A100", "p5": "H100"}
_SECONDS: Final = 3600
_DECISIONS: Final = 1000


@dataclass(frozen=True, slots=True)
class FleetCost:
    """One endpoint by the hour, with as many instances as a deployment starts and as scaling may come to."""

    fleet: Fleet
    per_hour: Figure
    per_hour_at_most: Figure


@dataclass(frozen=True, slots=True)
class DecisionCost:
    """1,000 decisions on one instance type at the load of one phase, which never pauses."""

    phase: str
    instance_type: str
    per_second: float
    per_1000: Figure


@dataclass(frozen=True, slots=True)
class Cost:
    """Everything; `unpriced` says of each phase without a figure why it has none."""

    environment: str
    prices: Prices
    fleets: list[FleetCost]
    per_hour: Figure
    decisions: list[DecisionCost]
    unpriced: list[str]


def cost(settings: Settings, prices: Prices, measured: Sequence[Throughput] = (), target: str = "") -> Cost:
    """Add up.

    Args:
        settings: The environment.
        prices: What instances cost.
        measured: Throughputs of one run.
        target: What was measured, as the run's results name it.

    Raises:
        ConfigurationError: An instance type that the environment may run has no price.
    """
    costs = [_fleet(each, settings, prices) for each in fleets(settings)]
    priced = [one for one in measured if not _unpriced(one)]
    return Cost(
        environment=settings.environment.name,
        prices=prices,
        fleets=costs,
        per_hour=total([each.per_hour for each in costs]),
        decisions=[each for one in priced for each in _decisions(one, settings, prices, target)],
        unpriced=[sentence for one in measured if (sentence := _unpriced(one))],
    )


def _fleet(fleet: Fleet, settings: Settings, prices: Prices) -> FleetCost:
    one = one_of([_hour(name, settings, prices) for name in fleet.instance_types])
    return FleetCost(fleet, one.times(fleet.count), one.times(fleet.most))


def _hour(name: str, settings: Settings, prices: Prices) -> Figure:
    price = prices.instances.get(name)
    if price is None:
        raise ConfigurationError(f"The price file has no {name}, which {settings.environment.name} may run.")
    assumed = [f"the price of {name}: {price.assumed}"] if price.assumed else []
    if settings.environment.region not in {None, prices.region}:
        assumed.append(f"the prices are those of {prices.region}, not of {settings.environment.region}")
    return Figure(price.per_hour, price.per_hour, tuple(assumed))


def _decisions(one: Throughput, settings: Settings, prices: Prices, target: str) -> Iterator[DecisionCost]:
    here = target == recorded_name(settings)
    fleet = fleets(settings)[1]
    identity = one.identities[0]
    # Whatever is asked by its address is one container; an environment has what the run saw, or what its file says.
    count = (one.instances or fleet.count) if here else 1
    reasons = [] if here else [f"{settings.environment.name} is as fast as {target}, which was measured"]
    if identity.gguf.sha256 != settings.model.sha256:
        reasons.append(f"its model is as fast as {identity.gguf.file}, which was measured")
    if identity.threads != settings.decision.threads:
        reasons.append(f"{settings.decision.threads} threads are as fast as {identity.threads}, which were measured")
    hours = Decimal(_DECISIONS) / (Decimal(repr(one.per_second)) * _SECONDS)
    for name in fleet.instance_types:
        assumed = (*reasons, *_elsewhere(InstanceType(name), identity))
        per_1000 = _hour(name, settings, prices).times(hours * count, assumed)
        yield DecisionCost(one.phase, name, one.per_second, per_1000)


def _elsewhere(member: InstanceType, identity: Identity) -> list[str]:
    """Say what computes instead, if the measured machine was not of this type as far as its record tells."""
    if member.accelerator == "cpu":
        return [] if identity.device is None else [f"{member.name} is as fast as {identity.device}, which was measured"]
    gpu = _GPUS.get(member.family)
    if identity.device is None or gpu not in identity.device.replace("-", " ").split():
        return [f"{member.name} is as fast as {identity.device or identity.backend}, which was measured"]
    return []


def _unpriced(one: Throughput) -> str:
    if len(one.identities) > 1:
        return f"{one.phase}: answers of {len(one.identities)} different runtimes have no throughput in common"
    return f"{one.phase}: instances were added meanwhile" if one.instances == 0 else ""
