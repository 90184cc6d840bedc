"""What a deployment of an environment starts that is billed by the hour."""

from dataclasses import dataclass

from config.hosting import Hosting
from config.settings import Settings


@dataclass(frozen=True)
class Fleet:
    """The instances of one endpoint.

    Attributes:
        endpoint: Its name.
        instance_types: The type, or those of the pools in the order they are tried; all instances are of one or more.
        count: How many the deployment starts.
        most: How many scaling may come to; `count` without scaling.
    """

    endpoint: str
    instance_types: tuple[str, ...]
    count: int
    most: int

    @property
    def sentence(self) -> str:
        """What runs, in one line."""
        instances = f"{self.count} instance{'s' if self.count > 1 else ''}"
        scaled = f", up to {self.most} under load" if self.most > self.count else ""
        pooled = ", of whichever can be had first of" if len(self.instance_types) > 1 else " of"
        return f"{self.endpoint}: {instances}{scaled}{pooled} {', '.join(self.instance_types)}"


def fleets(settings: Settings) -> list[Fleet]:
    """Return the fleets of both endpoints."""
    return [_fleet(settings.chat), _fleet(settings.decision)]


def terms(environment: str) -> str:
    """Say from when to when the fleets are billed, and where prices are."""
    return (
        f"These instances are billed by the hour from their start until `make destroy ENV={environment}` or "
        f"`python -m ops retire {environment}`, whether anybody asks or not.\n"
        "What an hour costs: docs/operations.md, What an environment costs."
    )


def _fleet(hosting: Hosting) -> Fleet:
    count = hosting.initial_instance_count
    return Fleet(
        endpoint=hosting.endpoint_name,
        instance_types=tuple(member.name for member in hosting.instance_types),
        count=count,
        most=hosting.scaling.max_instance_count if hosting.scaling else count,
    )
