"""`ops audit`: what came of decisions, counted by kind."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated

import typer

from decision_client.audit.tally import Review, Tally, review
from ops.audit.trails import read_trails
from ops.options import DATES, OUT, AsJson
from ops.report import print_json, say

Trails = Annotated[list[str], typer.Argument(metavar="TRAIL...", help="Files, or logs: and a log group's name.")]
Since = Annotated[datetime | None, typer.Option(formats=DATES, help="Decisions from this time on, in UTC.")]
Until = Annotated[datetime | None, typer.Option(formats=DATES, help="Decisions before this time, in UTC.")]


def audit(trails: Trails, *, since: Since = None, until: Until = None, as_json: AsJson = False) -> None:
    """Count a trail's decisions by what came of them, for all and for each definition's version.

    Ends with 1 if some of its lines are no records.
    """
    found = review(read_trails(trails, since=since).between(since, until))
    if as_json:
        print_json(OUT, found.model_dump(mode="json"))
    else:
        for line in lines(found):
            say(OUT, line)
    raise typer.Exit(int(bool(found.broken_lines)))


def lines(found: Review) -> Iterator[str]:
    """Say what was counted, kinds that did not occur left out."""
    yield from _counts("all definitions", found.total)
    for name, tally in found.definitions.items():
        yield from _counts(name, tally)
    for name in found.reworded:
        yield f"{name} has more than one wording, and these counts are of neither: another wording is a new version."
    if found.overrides_of_unknown:
        yield f"{found.overrides_of_unknown} overrides are of records that are not here."
    yield from (f"{place}: is no record." for place in found.broken_lines)


def _counts(name: str, tally: Tally) -> Iterator[str]:
    yield name
    for kind, count in tally.model_dump(exclude={"override_rate"}).items():
        if count or kind in ("asked", "answered"):
            yield f"  {kind.replace('_', ' '):<20} {count:>7}"
    if tally.override_rate is not None:
        yield f"  {'override rate':<20} {tally.override_rate:>7.1%}"
