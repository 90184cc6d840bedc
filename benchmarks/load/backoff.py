"""Pure: how long a refused client waits before it sends the same request again."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """The behaviour that docs/operations.md asks of a client, with its figures.

    It never comes back sooner than it was asked to, since the container asks for no more than the cap; each further
    refusal doubles the wait up to the cap; a random part of up to half the wait keeps clients apart that were refused
    together.

    Attributes:
        cap_seconds: Longest wait without its random part.
        attempts: How often a request is sent before its client gives up.
        patience_seconds: How long after its first attempt a request is not sent again.
    """

    cap_seconds: float = 30.0
    attempts: int = 5
    patience_seconds: float = 70.0

    def wait(self, retry_after_seconds: float, *, refusals: int, chance: float) -> float:
        """Seconds to wait after the latest of `refusals` refusals in a row.

        Args:
            retry_after_seconds: What the refusal's body says.
            refusals: At least 1.
            chance: 0 to 1, drawn anew each time.
        """
        wanted = max(0.0, retry_after_seconds) * 2.0 ** min(refusals - 1, 16)
        return min(self.cap_seconds, wanted) * (1 + chance / 2)
