"""One thread that ends whatever outlives its deadline."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Watchdog:
    """Calls `fire` when the operation it watches has reached its deadline; watches one at a time.

    One thread for all operations, woken only for a deadline that is earlier than the one it sleeps for: a
    timer of its own would cost each operation a thread.
    """

    def __init__(self, fire: Callable[[], None]) -> None:
        """Takes what to call; the thread starts with the first operation watched."""
        self._fire = fire
        self._changed = threading.Condition()
        self._deadline: float | None = None
        self._wakes_at: float | None = None
        self._thread = threading.Thread(target=self._watch, name="semif-watchdog", daemon=True)

    @contextmanager
    def watch(self, deadline: float | None) -> Iterator[None]:
        """Watches the block until `deadline` of `time.monotonic()`; after the block nothing fires any more."""
        if deadline is None:
            yield
            return
        if not self._thread.is_alive():
            self._thread.start()
        with self._changed:
            self._deadline = deadline
            if self._wakes_at is None or deadline < self._wakes_at:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._deadline = None

    def _watch(self) -> None:
        with self._changed:
            while True:
                left = None if self._deadline is None else self._deadline - time.monotonic()
                if left is not None and left <= 0:
                    self._fire()  # under the lock: the operation cannot end, and the next one begin, meanwhile
                    self._deadline = left = None
                self._wakes_at = self._deadline
                self._changed.wait(left)
