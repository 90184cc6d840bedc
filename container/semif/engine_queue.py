"""The queue before the engine: one operation after another, nobody who would be late, an estimate of what is ahead."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from semif.busy import Busy
from semif.decision import RequestError
from semif.speed import MeasuredSpeed

START_COUNTS_SECONDS = 30.0  # the start's own measurement refuses nobody for good after that
REMEASURE_SECONDS = 300.0  # a speed that is older refuses nobody for good: it may have been one bad moment's


class EngineQueue:
    """Who runs and who waits, in tokens; used from the event loop's thread only.

    Attributes:
        deadline_seconds: From a request's arrival to its answer.
        speed: Of this machine; every estimate is made with what is known when it is asked for.
        clock: Reads seconds.
    """

    def __init__(
        self, deadline_seconds: float, speed: MeasuredSpeed, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.deadline_seconds = deadline_seconds
        self.speed = speed
        self.clock = clock
        self._turn = asyncio.Lock()
        self._waiting: dict[object, int] = {}  # tokens of each who waits for a turn, in their order
        self._latest_tokens = 0  # of the running operation, or the one before
        self._done_at: float | None = None  # when the running operation should be done
        self._measured_at = clock() + START_COUNTS_SECONDS - REMEASURE_SECONDS

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
        late = self.clock() + self.seconds_until(1 + len(self._waiting)) + seconds - deadline
        if late > 0 and (self._turn.locked() or self._waiting):
            raise Busy("too_late", late)
        waiter = object()
        self._waiting[waiter] = tokens
        try:
            async with asyncio.timeout(max(0.0, deadline - self.clock())):
                await self._turn.acquire()
        except TimeoutError:
            raise Busy("too_late", 1 + self.seconds_until(1)) from None
        finally:
            del self._waiting[waiter]
        self._latest_tokens, self._done_at = tokens, self.clock() + self.speed.seconds(tokens)
        try:
            yield
        finally:
            self._done_at, self._measured_at = None, self.clock()
            self._turn.release()

    def seconds_until(self, ended: int) -> float:
        """When this many operations should have ended: the running one, who waits, then some like the latest."""
        running = 0.0 if self._done_at is None else max(self._done_at - self.clock(), 0.0)
        ahead = list(self._waiting.values())[: ended - 1]
        unknown = ended - 1 - len(ahead)
        return running + self.speed.seconds(sum(ahead) + unknown * self._latest_tokens)
