"""One request from its place to its answer: who waits, who runs, and who is dropped. Knows no HTTP."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from semif.admission import Admission
from semif.busy import Busy
from semif.decision import Answered, DecisionRequest
from semif.engine import DeadlineExceededError, Engine, EngineError
from semif.engine_queue import EngineQueue
from semif.health import Health
from semif.request_record import RequestRecord, hashed
from semif.scoring import InvalidLogitsError
from semif.service import DecisionService, Prepared
from semif.worker import EngineWorker

S = TypeVar("S")
T = TypeVar("T")

_INLINE_BYTES = 4096  # up to this a body is checked and tokenised in about a millisecond: no thread is worth it


class CallerGone(Exception):  # noqa: N818 - the caller's decision
    """The caller went away before the answer; its work was dropped."""


@dataclass(slots=True)
class Invocations:
    """The path every request takes."""

    service: DecisionService
    engine: Engine
    worker: EngineWorker
    admission: Admission
    queue: EngineQueue
    health: Health
    parse: Callable[[bytes], DecisionRequest]
    _inside: set[Callable[[Exception], None]] = field(default_factory=set)

    def expire(self) -> None:
        """Ends what is inside, because the process must end; used from the event loop's thread."""
        for interrupt in tuple(self._inside):
            interrupt(Busy("stopping", 1))

    async def answer(
        self, body: Callable[[], Awaitable[bytes]], gone: Callable[[], Awaitable[None]], record: RequestRecord
    ) -> Answered:
        """Answers one request.

        Args:
            body: Reads the request's body; called only if there is a place, which is taken when it is there.
            gone: Returns when the caller went away; called when the body was read.
            record: Is filled in on the way.

        Raises:
            Busy: No place, or the answer would come too late.
            RequestError: The request is refused.
            CallerGone: Nobody waits any more. A waiting request is dropped, a running decode aborted.
            DeadlineExceededError: The decode was aborted because its time was up.
        """
        deadline = self.queue.clock() + self.queue.deadline_seconds
        with self.admission.reading():
            raw = await body()
        with self.admission.place(), self._until(gone):
            return await self._score(raw, deadline, record)

    @contextmanager
    def _until(self, gone: Callable[[], Awaitable[None]]) -> Iterator[None]:
        # Ends the block where it waits, with `CallerGone` or with what `expire` says; the block's own failures win.
        # No task of its own for the block: with its hand-overs it would cost as much as checking a request.
        task = asyncio.current_task()
        assert task is not None
        reasons: list[Exception] = []

        def interrupt(reason: Exception) -> None:
            if not reasons:
                reasons.append(reason)
                task.cancel()

        left = asyncio.ensure_future(gone())
        left.add_done_callback(lambda done: None if done.cancelled() else interrupt(CallerGone()))
        self._inside.add(interrupt)
        try:
            yield
        except asyncio.CancelledError:
            if reasons and task.cancelling() == 1:
                raise reasons[0] from None
            raise
        finally:
            if reasons:
                task.uncancel()
            self._inside.discard(interrupt)
            left.cancel()

    async def _score(self, raw: bytes, deadline: float, record: RequestRecord) -> Answered:
        asked = await _beside(len(raw), self.parse, raw)
        record.ids = [hashed(each.id) for each in asked.decisions]
        record.shared, record.decisions = asked.shared, len(asked.decisions)
        prepared = await _beside(len(raw), self.service.prepare, asked)
        record.input_tokens = prepared.input_tokens
        counted = self.queue.clock()
        tokens = self.engine.pending_tokens(prepared.work)
        async with self.queue.turn(tokens, deadline):
            record.queue_seconds = self.queue.clock() - counted
            return await self._run(prepared, deadline, record)

    async def _run(self, prepared: Prepared, deadline: float, record: RequestRecord) -> Answered:
        tokens, started = self.engine.pending_tokens(prepared.work), self.queue.clock()
        self.health.begin(deadline)
        work = asyncio.wrap_future(self.worker.submit(self.service.decide, prepared, self.engine, deadline=deadline))
        try:
            answered = await asyncio.shield(work)
        except asyncio.CancelledError:
            # The engine is somebody else's only when it has stopped. Again and again: an abort between the
            # submission and the operation's own start would be taken back by it.
            while not work.done():
                self.engine.abort()
                await asyncio.wait((work,), timeout=0.05)
            if not work.cancelled() and isinstance(error := work.exception(), EngineError):
                raise error from None
            raise
        except DeadlineExceededError:
            self.queue.speed.observe_aborted(tokens, self.queue.clock() - started)
            raise
        except InvalidLogitsError:
            self.health.invalid()
            raise
        finally:
            self.health.end()
        self.health.valid()
        timing = answered.timing
        self.queue.speed.observe(tokens, timing.prefill_seconds + timing.suffix_forward_seconds)
        readouts = [result.readout for result in answered.results]
        record.prefill_seconds, record.suffix_seconds = timing.prefill_seconds, timing.suffix_forward_seconds
        record.resident = answered.resident
        record.low_mass = sum(readout.low_mass for readout in readouts)
        record.low_margin = sum(readout.low_margin for readout in readouts)
        record.ties = sum(readout.tie for readout in readouts)
        return answered


async def _beside(size: int, work: Callable[[S], T], value: S) -> T:
    """Runs what takes as long as the body is: of a long one on a thread, so that `/ping` is answered meanwhile."""
    if size <= _INLINE_BYTES:
        return work(value)
    return await asyncio.get_running_loop().run_in_executor(None, work, value)
