"""The price file that an operator gives: what an instance costs by the hour, from when and where the figures are."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from config.instance_type import InstanceType
from config.rules import ConfigurationError
from decision_client.toml_file import read_toml
from decision_client.values import Frozen, Text

Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
Price = Annotated[Decimal, Field(gt=0, lt=100_000, allow_inf_nan=False)]


class InstancePrice(Frozen):
    """What one instance costs an hour; `assumed` says what the figure rests on if nobody has looked it up."""

    per_hour: Price
    assumed: Text | None = None


class Prices(Frozen):
    """The file: prices of one region on one day, by instance type."""

    currency: Currency
    region: Text
    date: date
    source: Text
    instances: Annotated[dict[str, InstancePrice], Field(min_length=1)]

    @property
    def origin(self) -> str:
        """From where and when the figures are."""
        return f"{self.currency}, {self.region}, {self.date.isoformat()}, {self.source}"


def read_prices(file: Path) -> Prices:
    """Read a price file.

    Raises:
        FileError: It is not there, or breaks a rule.
        ConfigurationError: It names what is no instance type.
    """
    prices = read_toml(file, Prices)
    for name in prices.instances:
        try:
            InstanceType(name)
        except ValueError as error:
            raise ConfigurationError(f"{file}: instances: {error}") from None
    return prices
