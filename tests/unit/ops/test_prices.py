"""A price file is checked as a whole, and what is wrong with it is said without what it holds."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from config.rules import ConfigurationError
from decision_client.errors import FileError
from ops.costs.prices import read_prices
from tests.unit.ops.price_file import documented


def test_documented_file_is_read_to_the_last_digit(tmp_path: Path) -> None:
    """Prices are decimal numbers, not the binary ones next to them."""
    prices = read_prices(documented(tmp_path))

    assert (prices.currency, prices.region, prices.date) == ("USD", "us-east-1", date(2026, 11, 30))
    assert prices.instances["ml.g6.2xlarge"].per_hour == Decimal("1.222")
    assert prices.instances["ml.g6.2xlarge"].assumed is None
    assert prices.instances["ml.c6i.8xlarge"].assumed == "EC2's price and a fifth"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("per_hour = 2.610", "per_hour = 0", "instances.ml.g6e.xlarge.per_hour: Input should be greater than 0"),
        ("per_hour = 2.610", "per_hour = -2.610", "greater than 0"),
        ("per_hour = 2.610", "per_hour = nan", "instances.ml.g6e.xlarge.per_hour"),
        ("per_hour = 2.610", "per_day = 2.610", "instances.ml.g6e.xlarge.per_hour: Field required"),
        ("date = 2026-11-30", 'date = "lately"', "date: "),
        ("date = 2026-11-30\n", "", "date: Field required"),
        ('source = "docs/operations.md"\n', "", "source: Field required"),
        ('"USD"', '"dollars"', "currency: "),
        ("per_hour = 2.610", "per_hour =", "cannot be read"),
    ],
)
def test_broken_file_is_refused_by_key(tmp_path: Path, old: str, new: str, says: str) -> None:
    """A price that is none, or one without date and source, is nothing to add up."""
    with pytest.raises(FileError, match=says):
        read_prices(documented(tmp_path, (old, new)))


def test_what_is_no_instance_type_is_refused(tmp_path: Path) -> None:
    """A slip in a name would only show as a missing price of another."""
    with pytest.raises(ConfigurationError, match=r"prices.toml: instances: .*'ml.g6e.xlrge'"):
        read_prices(documented(tmp_path, ("ml.g6e.xlarge", "ml.g6e.xlrge")))
