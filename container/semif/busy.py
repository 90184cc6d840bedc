"""The answer to a request that may succeed later."""

import math

LONGEST_WAIT_SECONDS = 30  # a caller is told to stay away at most


class Busy(Exception):  # noqa: N818 - not a fault: an answer
    """Not now; the same request may succeed later.

    Attributes:
        reason: `no_place`, `too_late` or `stopping`.
        retry_after_seconds: When to come back, from what is known to lie ahead.
    """

    def __init__(self, reason: str, retry_after_seconds: float) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after_seconds = max(1, min(LONGEST_WAIT_SECONDS, math.ceil(retry_after_seconds)))
