"""A queue before no engine, and requests that hold their turn in it."""

import asyncio

from semif.engine_queue import EngineQueue
from semif.speed import MeasuredSpeed


class Clock:
    """Stands still until it is moved."""

    now = 1000.0

    def __call__(self) -> float:
        """Seconds."""
        return self.now


def queue_of(clock: Clock) -> EngineQueue:
    """A second per token, and fifty for an answer."""
    return EngineQueue(50.0, MeasuredSpeed(1, 1.0), clock)


async def holding(
    queue: EngineQueue, tokens: int, deadline: float, order: list[int], until: asyncio.Event | None = None
) -> None:
    """Takes a turn, notes it and holds it."""
    async with queue.turn(tokens, deadline):
        order.append(tokens)
        if until:
            await until.wait()
