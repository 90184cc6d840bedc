"""`ops cost`: what an environment costs, from prices that the operator gives and throughputs that were measured."""

from collections.abc import Iterator
from dataclasses import asdict
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from config.loader import ENVIRONMENTS_DIRECTORY, load
from config.rules import ConfigurationError
from evidence.results import read_results
from ops.costs.cost import Cost, cost
from ops.costs.figure import Figure
from ops.costs.prices import read_prices
from ops.costs.throughput import Throughput, throughputs
from ops.evidence.libraries import evidence_libraries
from ops.options import OUT, AsJson, Directory, Environment
from ops.report import print_json, printable, say

_HOURS: Final = 720
_EXACT: Final = 3
_NEVER_PAUSES: Final = "1,000 decisions cost that while the load never pauses: at a tenth of it, ten times as much."
_NOT_MEASURED: Final = "1,000 decisions: no throughput to go by; measure one with `ops bench`, and name its --results."
_NOT_INCLUDED: Final = "Not included: storage, logs, alarms, builds, traffic, tax, the second fleet during an update."


def show_cost(
    environment: Environment,
    *,
    prices: Annotated[Path, typer.Option(help="A TOML file of what each instance type costs an hour.")],
    results: Annotated[Path | None, typer.Option(help="A results file of `ops bench`, for 1,000 decisions.")] = None,
    as_json: AsJson = False,
    environments_directory: Directory = ENVIRONMENTS_DIRECTORY,
) -> None:
    """Say what ENV costs an hour and for 1,000 decisions, and which figures are assumed. Asks no account."""
    settings = load(environment, environments_directory)
    given = read_prices(prices)
    target, measured = _measured(results) if results else ("", [])
    found = cost(settings, given, measured, target)
    if as_json:
        print_json(OUT, document(found))
    else:
        for line in lines(found):
            say(OUT, printable(line))


def _measured(file: Path) -> tuple[str, list[Throughput]]:
    """Return what was asked and how fast it answered."""
    with evidence_libraries():
        from evidence.summary import summarize  # noqa: PLC0415 - hours alone are added up without scipy
    run = read_results(file)
    measured = throughputs(summarize(run))
    if not measured:
        raise ConfigurationError(f"{file}: holds no answer, so there is no throughput in it.")
    return run.run.target, measured


def lines(found: Cost) -> Iterator[str]:
    """Say what was found, in order: prices, hours, decisions, what is assumed, what is left out."""
    currency = found.prices.currency
    yield f"Prices: {found.prices.origin}"
    for each in found.fleets:
        fleet, hour = each.fleet, each.per_hour
        more = f", at most {_amount(each.per_hour_at_most)}" if fleet.most > fleet.count else ""
        yield f"{fleet.sentence}: {_amount(hour)} {currency} an hour{more} ({_price(hour)})"
    month = found.per_hour.times(_HOURS)
    yield f"Together: {_amount(found.per_hour)} {currency} an hour, {_amount(month, 0)} in 30 days, asked or not"
    for one in found.decisions:
        cost_, basis = _amount(one.per_1000), f"{_price(one.per_1000)}, {_throughput(one.per_1000)}"
        at = f"at {one.per_second:.3g} a second"
        yield f"1,000 decisions, {one.phase}, {one.instance_type}: {cost_} {currency} {at} ({basis})"
    yield from (f"1,000 decisions, {sentence}" for sentence in found.unpriced)
    yield from (f"Assumed: {reason}" for reason in _reasons(found))
    yield _NEVER_PAUSES if found.decisions else _NOT_MEASURED
    yield _NOT_INCLUDED


def document(found: Cost) -> dict[str, Any]:
    """Return what was found for programs; amounts are decimal numbers in texts, not rounded."""
    return {**asdict(found), "prices": found.prices.model_dump(mode="json")}


def _reasons(found: Cost) -> Iterator[str]:
    """Yield each reason once, however many figures rest on it."""
    figures = [found.per_hour, *(one.per_1000 for one in found.decisions)]
    yield from dict.fromkeys(reason for each in figures for reason in (*each.prices_assumed, *each.throughput_assumed))


def _price(figure: Figure) -> str:
    return "price assumed" if figure.prices_assumed else "price given"


def _throughput(figure: Figure) -> str:
    return "throughput assumed" if figure.throughput_assumed else "throughput measured"


def _amount(figure: Figure, places: int = _EXACT) -> str:
    low, high = (_rounded(each, places) for each in (figure.low, figure.high))
    return low if low == high else f"{low} to {high}"


def _rounded(amount: Decimal, places: int) -> str:
    """Round to places after the point, and to as many significant figures where an amount is a fraction of them."""
    step = Decimal(1).scaleb(-places)
    if places and amount < 1:
        step = min(step, Decimal(1).scaleb(amount.adjusted() - places + 1))
    return f"{amount.quantize(step, ROUND_HALF_UP):,f}"
