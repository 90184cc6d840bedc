"""What a peer may hold, and for how long; docs/operations.md states the same figures."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What every connection gets.

    Attributes:
        head_bytes: Longest request line and headers together.
        head_seconds: From the connection, or from a further request's first byte, to the end of its headers.
        idle_seconds: From an answer to the next request.
        rest_seconds: From an answer to the end of a body that nobody reads any more, or of what the peer must take.
        connections: Open at the same time. One more ends the one whose peer has owed something for longest.
    """

    head_bytes: int = 32_768
    head_seconds: float = 10.0
    idle_seconds: float = 75.0  # longer than whoever forwards requests keeps a connection, or it meets a closed one
    rest_seconds: float = 5.0
    connections: int = 256
