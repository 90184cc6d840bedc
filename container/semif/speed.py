"""How fast this machine reads tokens, measured on the operations it ran."""

_KEPT = 0.9  # of what was known, after each operation: about the last ten count


class MeasuredSpeed:
    """Seconds per token: of the start's own decision first, then of every operation; long ones weigh more."""

    def __init__(self, tokens: int, seconds: float) -> None:
        self._tokens = float(max(tokens, 1))
        self._seconds = max(seconds, 1e-6)

    def seconds(self, tokens: int) -> float:
        """What reading this many tokens is expected to take."""
        return tokens * self._seconds / self._tokens

    def observe(self, tokens: int, seconds: float) -> None:
        """Learns from a finished operation."""
        self._tokens = self._tokens * _KEPT + tokens
        self._seconds = self._seconds * _KEPT + seconds

    def observe_aborted(self, tokens: int, seconds: float) -> None:
        """Learns from an operation that was ended after some seconds: it would have taken longer."""
        if self.seconds(tokens) < seconds:
            self.observe(tokens, seconds)
