"""How often something is repeated: a largest and a least number, and a time that stops it between them."""

import time
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rounds:
    """At most `most` rounds, at least `least`, none begun that would probably end after `seconds`."""

    least: int
    most: int
    seconds: float

    def __iter__(self) -> Iterator[int]:
        """Yields the round's number."""
        started = begun = time.monotonic()
        for number in range(self.most):
            now = time.monotonic()
            if number >= self.least and now - started + (now - begun) > self.seconds:
                return
            begun = now
            yield number
