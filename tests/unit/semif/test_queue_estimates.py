"""What is expected of the machine: how long what is ahead will take, and what an old measurement is worth."""

import asyncio

import pytest

from semif.busy import Busy
from semif.decision import RequestError
from semif.engine_queue import REMEASURE_SECONDS, START_COUNTS_SECONDS, EngineQueue
from semif.speed import MeasuredSpeed
from tests.unit.semif.waiting import Clock, holding, queue_of


def test_an_old_speed_refuses_nobody_for_good() -> None:
    """When nothing was measured for long, a request that seems too slow is tried; right after a try it is not."""
    clock = Clock()
    queue = queue_of(clock)
    order: list[int] = []

    async def refused() -> str:
        with pytest.raises(RequestError) as error:
            await holding(queue, 51, clock.now + 50, order)
        return error.value.code

    async def story() -> list[str]:
        await holding(queue, 1, clock.now + 50, [])
        clock.now += REMEASURE_SECONDS - 1
        codes = [await refused()]
        clock.now += 1
        await holding(queue, 51, clock.now + 50, order)
        return [*codes, await refused()]

    assert asyncio.run(story()) == ["too_slow_here"] * 2
    assert order == [51]


def test_the_starts_own_measurement_refuses_nobody_for_long() -> None:
    """What was measured while everything started counts for half a minute; then what seems too slow is tried."""
    clock = Clock()
    queue = queue_of(clock)
    clock.now += START_COUNTS_SECONDS - 1
    with pytest.raises(RequestError):
        asyncio.run(holding(queue, 51, clock.now + 50, []))
    clock.now += 1
    order: list[int] = []

    asyncio.run(holding(queue, 51, clock.now + 50, order))

    assert order == [51]


def test_a_machine_that_slows_down_changes_what_the_waiting_cost() -> None:
    """At a tenth of the speed, who waits is ten times as much ahead, though they came before it was known."""
    clock, speed = Clock(), MeasuredSpeed(1, 0.1)
    queue = EngineQueue(50.0, speed, clock)

    async def story() -> list[float]:
        until = asyncio.Event()
        tasks = []
        for tokens in (30, 20, 10):
            tasks.append(asyncio.create_task(holding(queue, tokens, clock.now + 50, [], until)))
            await asyncio.sleep(0)
        before = queue.seconds_until(3)
        speed.observe(1, 1.0)  # the first replaces what was known
        after = queue.seconds_until(3)
        with pytest.raises(Busy) as busy:
            await holding(queue, 20, clock.now + 50, [])
        until.set()
        await asyncio.gather(*tasks)
        return [before, after, busy.value.retry_after_seconds]

    assert asyncio.run(story()) == pytest.approx([3 + 3, 3 + 30, 3])  # 3 + 30 + 20 seconds where 50 are left


def test_a_machine_that_slowed_down_is_believed_when_it_was_measured() -> None:
    """What took a tenth before is refused for good once an operation has shown it, and not before."""
    clock, speed = Clock(), MeasuredSpeed(1, 0.1)
    queue = EngineQueue(50.0, speed, clock)

    async def story() -> str:
        await holding(queue, 60, clock.now + 50, [])
        speed.observe(60, 60.0)
        with pytest.raises(RequestError) as error:
            await holding(queue, 60, clock.now + 50, [])
        return error.value.code

    assert asyncio.run(story()) == "too_slow_here"


def test_an_operation_that_takes_longer_than_expected_is_expected_to_end_now() -> None:
    """Nothing is known of how much longer, so it counts as nothing, and never as less."""
    clock = Clock()
    queue = queue_of(clock)

    async def story() -> float:
        until = asyncio.Event()
        running = asyncio.create_task(holding(queue, 10, clock.now + 50, [], until))
        await asyncio.sleep(0)
        clock.now += 30
        left = queue.seconds_until(1)
        until.set()
        await running
        return left

    assert asyncio.run(story()) == 0


def test_an_operation_that_ends_early_is_no_longer_ahead() -> None:
    """What it was expected to take holds nobody up once it is over."""
    queue = queue_of(Clock())

    async def story() -> float:
        await holding(queue, 40, 1050.0, [])
        return queue.seconds_until(1)

    assert asyncio.run(story()) == 0
