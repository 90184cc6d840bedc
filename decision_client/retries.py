"""Pure: how long a refused request waits before it is sent again."""

import math
from dataclasses import dataclass

_DOUBLINGS = 16  # more would only overflow


@dataclass(frozen=True, slots=True)
class RetryRules:
    """When a request is sent again, within the deadline that its caller gives.

    A refusal for lack of capacity may come any number of times. The container knows its queue and spreads those it
    sends away, so the wait it asks for is not doubled: that would leave it idle while its callers sleep. A failure
    (500, 504, another 5xx, a broken connection) may have been worked on; a decision changes nothing, so it is safe to
    ask again, but it is worth little: `failures` says how often.

    Attributes:
        first_seconds: The least wait; it doubles with each further try.
        cap_seconds: What doubling ends at. A refusal that asks for more is granted more.
        failures: How often a failure is sent again.
    """

    first_seconds: float = 1.0
    cap_seconds: float = 8.0
    failures: int = 1

    def __post_init__(self) -> None:
        if not (0 < self.first_seconds <= self.cap_seconds < math.inf):
            raise ValueError("first_seconds: is greater than 0 and at most cap_seconds")
        if self.failures < 0:
            raise ValueError("failures: is not negative")

    def wait(self, asked_seconds: float | None, *, tries: int, chance: float) -> float:
        """Return the seconds to wait; never less than was asked for.

        Args:
            asked_seconds: What the refusal's body asks for; None where it names no wait.
            tries: How often the request was sent so far, at least 1; each after the first doubles the least wait.
            chance: 0 to 1, drawn anew each time; up to half the wait is added, to keep apart who was refused together.
        """
        least = min(self.cap_seconds, self.first_seconds * 2.0 ** min(tries - 1, _DOUBLINGS))
        return max(asked_seconds or 0.0, least) * (1 + chance / 2)
