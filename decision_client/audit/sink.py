"""Where records go."""

from collections.abc import Sequence
from typing import Protocol

from decision_client.audit.record import AnyRecord


class Sink(Protocol):
    """Keeps records, each as one line of JSON."""

    def append(self, records: Sequence[AnyRecord]) -> None:
        """Keep records; they are kept when this returns.

        Raises:
            SinkError: They are not, or not all of them.
        """
        ...


class SinkError(RuntimeError):
    """Records could not be kept; the message is one sentence that holds none of them."""
