"""How much is asked at a moment: requests outstanding, and those begun in the last minute."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_MINUTE: Final = 60.0


class Load:
    """Counted by the run itself; used from several threads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` gives seconds that only go forward."""
        self._clock = clock
        self._lock = threading.Lock()
        self._begun: deque[float] = deque()
        self._outstanding = 0

    @contextmanager
    def request(self) -> Iterator[None]:
        """Count one request while the block runs."""
        with self._lock:
            self._outstanding += 1
            self._begun.append(self._clock())
        try:
            yield
        finally:
            with self._lock:
                self._outstanding -= 1

    def outstanding(self) -> float:
        """Return the requests that have no answer yet."""
        with self._lock:
            return self._outstanding

    def begun_in_a_minute(self) -> float:
        """Return the requests that were begun in the last minute."""
        with self._lock:
            while self._begun and self._begun[0] <= self._clock() - _MINUTE:
                self._begun.popleft()
            return len(self._begun)
