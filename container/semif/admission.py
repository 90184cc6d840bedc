"""Who may come in: a bounded number of places, taken before a request's body is read."""

from collections.abc import Iterator
from contextlib import contextmanager


class Busy(Exception):  # noqa: N818 - not a fault: an answer
    """No place is free, or the server is going away; the same request may succeed later."""


class Admission:
    """Counts the requests that are inside; used from the event loop's thread only."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._open = True

    @contextmanager
    def place(self) -> Iterator[None]:
        """Holds one place.

        Raises:
            Busy: None is free, or `close` was called.
        """
        if not self._open or self._free == 0:
            raise Busy
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1

    def close(self) -> None:
        """Admits nobody from now on; who is inside stays."""
        self._open = False
