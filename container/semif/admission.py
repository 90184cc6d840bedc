"""Who may come in: a bounded number of places, one turn at the engine after another, nobody who would be late."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

from semif.decision import RequestError
from semif.speed import MeasuredSpeed

LONGEST_WAIT_SECONDS = 30  # a caller is told to stay away at most
_MOST_TOLD = 100  # a flood of refusals is not kept count of
START_COUNTS_SECONDS = 30.0  # the start's own measurement refuses nobody for good after that
REMEASURE_SECONDS = 300.0  # a speed that is older refuses nobody for good: it may have been one bad moment's


class Busy(Exception):  # noqa: N818 - not a fault: an answer
    """Not now; the same request may succeed later.

    Attributes:
        reason: `no_place`, `too_late` or `stopping`.
        retry_after_seconds: When to come back, from what is known to lie ahead.
    """

    def __init__(self, reason: str, retry_after_seconds: float) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after_seconds = max(1, min(LONGEST_WAIT_SECONDS, math.ceil(retry_after_seconds)))


class Admission:
    """Counts the requests that are inside, and what they still cost; used from the event loop's thread only."""

    def __init__(
        self,
        places: int,
        deadline_seconds: float,
        speed: MeasuredSpeed,
        clock: Callable[[], float] = time.monotonic,
        readers: int = 256,
    ) -> None:
        """Nobody is inside yet.

        Args:
            places: Requests that are inside at most, waiting or running.
            deadline_seconds: From a request's arrival to its answer.
            speed: Of this machine.
            clock: Reads seconds.
            readers: Bodies that are read at the same time at most.
        """
        self.deadline_seconds = deadline_seconds
        self.speed = speed
        self.clock = clock
        self._free = places
        self._readers = readers
        self._open = True
        self._turn = asyncio.Lock()
        self._waiting: dict[object, float] = {}  # seconds each who waits for a turn will take, in their order
        self._done_at: float | None = None  # when the running operation should be done
        self._latest_seconds = 0.0  # what it should take, or the one before it should have
        self._told: list[float] = []  # when those who found no place were told to come back
        self._measured_at = clock() + START_COUNTS_SECONDS - REMEASURE_SECONDS

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

    @asynccontextmanager
    async def turn(self, tokens: int, deadline: float) -> AsyncIterator[None]:
        """Waits for the engine, first come, first served, and holds it.

        Args:
            tokens: What the request will have to decode.
            deadline: Of `clock`, when it must be answered.

        Raises:
            RequestError: It would be late on an idle engine too.
            Busy: It would be late behind those who are ahead, or their work took longer than expected.
        """
        seconds = self.speed.seconds(tokens)
        if seconds > self.deadline_seconds and self.clock() - self._measured_at < REMEASURE_SECONDS:
            message = (
                f"the request's {tokens} tokens would take about {seconds:.0f} s here; "
                f"at most {self.deadline_seconds:g} s are allowed"
            )
            raise RequestError("too_slow_here", message)
        late = self.clock() + self._ahead() + seconds - deadline
        if late > 0 and (self._turn.locked() or self._waiting):
            raise Busy("too_late", late)
        waiter = object()
        self._waiting[waiter] = seconds
        try:
            async with asyncio.timeout(max(0.0, deadline - self.clock())):
                await self._turn.acquire()
        except TimeoutError:
            raise Busy("too_late", 1 + self._running_seconds()) from None
        finally:
            del self._waiting[waiter]
        self._latest_seconds, self._done_at = seconds, self.clock() + seconds
        try:
            yield
        finally:
            self._done_at, self._measured_at = None, self.clock()
            self._turn.release()

    def _refuse_if_full(self) -> None:
        if not self._open:
            raise Busy("stopping", 1)
        if self._free == 0:
            raise self._no_place()

    def _no_place(self) -> Busy:
        # One place comes free with each operation that ends. Those who were sent away before come first.
        now = self.clock()
        self._told = [when for when in self._told if when > now]
        busy = Busy("no_place", self._until_free(len(self._told) + 1))
        if busy.retry_after_seconds < LONGEST_WAIT_SECONDS and len(self._told) < _MOST_TOLD:
            self._told.append(now + busy.retry_after_seconds)
        return busy

    def _until_free(self, places: int) -> float:
        ahead = list(self._waiting.values())[: places - 1]
        unknown = places - 1 - len(ahead)  # who comes then; as long as the latest, for all that is known
        return self._running_seconds() + sum(ahead) + unknown * self._latest_seconds

    def _ahead(self) -> float:
        return self._running_seconds() + sum(self._waiting.values())

    def _running_seconds(self) -> float:
        return 0.0 if self._done_at is None else max(self._done_at - self.clock(), 0.0)
