"""Whether the container can decide, answered at once whatever is running.

What never changes after the start (the weights' digest, the self-test, the layers on a GPU) is proven
before the container listens: it is healthy only if all of that held.
"""

import time
from collections.abc import Callable

from semif.engine import Engine
from semif.worker import EngineWorker

OVERDUE_SECONDS = 5.0  # an aborted decode ends within one node of its graph, on the CPU far below a second
INVALID_IN_A_ROW = 3


class Health:
    """Watches the engine, its thread, and the operation that runs."""

    def __init__(self, engine: Engine, worker: EngineWorker, clock: Callable[[], float] = time.monotonic) -> None:
        self._engine = engine
        self._worker = worker
        self._clock = clock
        self._deadline: float | None = None
        self._invalid = 0

    def begin(self, deadline: float) -> None:
        """An operation starts that must have ended at `deadline`, of the clock."""
        self._deadline = deadline

    def end(self) -> None:
        """The operation is over, however it ended."""
        self._deadline = None

    def valid(self) -> None:
        """It gave numbers."""
        self._invalid = 0

    def invalid(self) -> None:
        """It gave a number that is not finite."""
        self._invalid += 1

    def problem(self) -> str | None:
        """Why no decision can be expected, or None."""
        if not self._engine.alive:
            return "engine_broken"
        if not self._worker.alive:
            return "worker_dead"
        if self._deadline is not None and self._clock() > self._deadline + OVERDUE_SECONDS:
            return "operation_overdue"
        if self._invalid >= INVALID_IN_A_ROW:
            return "invalid_numbers"
        return None
