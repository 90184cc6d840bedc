"""From a value to a place in a drawing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_STEPS: Final = (1, 2, 5)
_ROOM: Final = 5  # labels that fit beside each other on a phone


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis from `start` to `end` in the drawing's units; a value outside is put on its nearer end."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        inside = min(max(value, self.low), self.high)
        share = self._position(inside) / self._position(self.high)
        return round(self.start + share * (self.end - self.start), 1)

    def _position(self, value: float) -> float:
        return math.log(value / self.low) if self.logarithmic else value - self.low


def shares(start: float, end: float, high: float = 1.0) -> Axis:
    """Return an axis of shares from 0 to `high`, at most 1, which is rounded up to a step."""
    step = next(each for each in (0.02, 0.05, 0.1, 0.2) if high / each <= _ROOM)
    count = math.ceil(high / step - 1e-9)
    return Axis(0.0, count * step, start, end, tuple(number * step for number in range(count + 1)))


def seconds(values: Sequence[float], start: float, end: float) -> Axis:
    """Return a logarithmic axis that holds some seconds greater than 0, from one step of 1, 2, 5 to another."""
    low, high = _step_below(min(values)), _step_above(max(values))
    steps = [step * 10.0**power for power in range(_power(low), _power(high) + 1) for step in _STEPS]
    ticks = [tick for tick in steps if low * 0.999 <= tick <= high * 1.001]
    while len(ticks) > _ROOM + 1:
        ticks = ticks[::2]
    return Axis(low, high, start, end, tuple(ticks), logarithmic=True)


def _power(value: float) -> int:
    return math.floor(math.log10(value) + 1e-9)


def _step_below(value: float) -> float:
    scale = 10.0 ** _power(value)
    return max(step * scale for step in _STEPS if step * scale <= value * (1 + 1e-9))


def _step_above(value: float) -> float:
    scale = 10.0 ** _power(value)
    return min(step * scale for step in (*_STEPS, 10) if step * scale > value * (1 + 1e-9))
