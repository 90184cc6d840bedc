"""An amount of money, with what of it nobody has looked up or measured."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Figure:
    """An amount that is not rounded, or the two that it lies between.

    Attributes:
        low: The least.
        high: The most; equal to `low` where there is no choice.
        prices_assumed: Why its prices are not simply the given ones; empty if they are.
        throughput_assumed: Why its throughput is not simply the measured one; empty if it is, or if it needs none.
    """

    low: Decimal
    high: Decimal
    prices_assumed: tuple[str, ...] = ()
    throughput_assumed: tuple[str, ...] = ()

    def times(self, factor: Decimal | int, throughput_assumed: tuple[str, ...] = ()) -> "Figure":
        """Return a multiple, which may rest on a throughput."""
        return replace(self, low=self.low * factor, high=self.high * factor, throughput_assumed=throughput_assumed)


def one_of(figures: Sequence[Figure]) -> Figure:
    """Return what one of several prices comes to, whichever it is."""
    return Figure(min(each.low for each in figures), max(each.high for each in figures), _prices_assumed(figures))


def total(figures: Sequence[Figure]) -> Figure:
    """Return the sum of several prices."""
    zero = Decimal(0)
    low, high = sum((each.low for each in figures), zero), sum((each.high for each in figures), zero)
    return Figure(low, high, _prices_assumed(figures))


def _prices_assumed(figures: Iterable[Figure]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(reason for each in figures for reason in each.prices_assumed))
