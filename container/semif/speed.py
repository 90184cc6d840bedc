"""How fast this machine reads tokens, measured on the operations it ran."""

_KEPT = 0.9  # of what was known, after each operation: about the last ten count
_UNFINISHED = 1.1  # times what an aborted operation took, or the same one would be tried for ever


class MeasuredSpeed:
    """Seconds per token: of the start's own decision at first, then of every operation; long ones weigh more."""

    def __init__(self, tokens: int, seconds: float) -> None:
        self._kept = 0.0  # of the start's few tokens nothing: other things may have been starting, too
        self._tokens = float(max(tokens, 1))
        self._seconds = max(seconds, 1e-6)

    def seconds(self, tokens: int) -> float:
        """What reading this many tokens is expected to take."""
        return tokens * self._seconds / self._tokens

    def observe(self, tokens: int, seconds: float) -> None:
        """Learns from a finished operation."""
        self._tokens = self._tokens * self._kept + max(tokens, 1)
        self._seconds = self._seconds * self._kept + max(seconds, 1e-6)
        self._kept = _KEPT

    def observe_aborted(self, tokens: int, seconds: float) -> None:
        """Learns from an operation that was ended after some seconds: it would have taken longer."""
        if self.seconds(tokens) < seconds:
            self.observe(tokens, seconds * _UNFINISHED)
