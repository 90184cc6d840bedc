"""Who may come in: a bounded number of places, and when to come back for those who find none."""

from collections.abc import Iterator
from contextlib import contextmanager

from semif.busy import LONGEST_WAIT_SECONDS, Busy
from semif.engine_queue import EngineQueue

_MOST_TOLD = 100  # a flood of refusals is not kept count of


class Admission:
    """Counts the requests that are inside; used from the event loop's thread only."""

    def __init__(self, places: int, queue: EngineQueue, readers: int = 256) -> None:
        """Nobody is inside yet.

        Args:
            places: Requests that are inside at most, waiting or running.
            queue: What they wait in.
            readers: Bodies that are read at the same time at most.
        """
        self._queue = queue
        self._free = places
        self._readers = readers
        self._open = True
        self._told: list[float] = []  # when those who found no place were told to come back

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Lets a body be read if a place is free now; holds none, or slow senders would hold them all.

        Raises:
            Busy: No place is free, too many bodies are being read, or `close` was called.
        """
        self._refuse_if_full()
        if self._readers == 0:
            raise Busy("no_place", 1)
        self._readers -= 1
        try:
            yield
        finally:
            self._readers += 1

    @contextmanager
    def place(self) -> Iterator[None]:
        """Holds one place.

        Raises:
            Busy: None is free, or `close` was called.
        """
        self._refuse_if_full()
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1

    def close(self) -> None:
        """Admits nobody from now on; who is inside stays."""
        self._open = False

    def _refuse_if_full(self) -> None:
        if not self._open:
            raise Busy("stopping", 1)
        if self._free == 0:
            raise self._no_place()

    def _no_place(self) -> Busy:
        # One place comes free with each operation that ends. Those who were sent away before come first.
        now = self._queue.clock()
        self._told = [when for when in self._told if when > now]
        busy = Busy("no_place", self._queue.seconds_until(len(self._told) + 1))
        if busy.retry_after_seconds < LONGEST_WAIT_SECONDS and len(self._told) < _MOST_TOLD:
            self._told.append(now + busy.retry_after_seconds)
        return busy
