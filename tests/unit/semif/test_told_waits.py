"""When those who find no place are told to come back."""

import asyncio
from contextlib import ExitStack

import pytest

from semif.admission import Admission
from semif.busy import Busy
from semif.engine_queue import EngineQueue
from semif.speed import MeasuredSpeed
from tests.unit.semif.waiting import Clock, holding, queue_of


def refused(admitted: Admission) -> int:
    """Asks for a place where there is none; the seconds to stay away."""
    with pytest.raises(Busy) as busy, admitted.place():
        pass
    assert busy.value.reason == "no_place"
    return busy.value.retry_after_seconds


def test_no_place_says_when_the_running_operation_should_be_done() -> None:
    """The wait that is suggested is what the running operation still takes, at least a second."""
    clock = Clock()
    queue = queue_of(clock)
    admitted = Admission(1, queue)

    async def story() -> list[int]:
        waits = []
        until = asyncio.Event()
        with admitted.place():
            running = asyncio.create_task(holding(queue, 12, 1050.0, [], until))
            await asyncio.sleep(0)
            for seconds in (3.0, 60.0):
                clock.now += seconds
                waits.append(refused(admitted))
            until.set()
            await running
        return waits

    assert asyncio.run(story()) == [9, 1]


def test_each_who_finds_no_place_is_told_of_a_place_of_his_own() -> None:
    """One place comes free with each operation that ends; behind those that are known come operations like the latest.

    So the first refused is told of the running one's end, the next of that of the first who waits, and so on.
    """
    clock = Clock()
    queue = queue_of(clock)
    admitted = Admission(3, queue)

    async def story() -> list[int]:
        until = asyncio.Event()
        with ExitStack() as places:
            tasks = []
            for tokens in (4, 6, 2):
                places.enter_context(admitted.place())
                tasks.append(asyncio.create_task(holding(queue, tokens, 1050.0, [], until)))
                await asyncio.sleep(0)
            waits = [refused(admitted) for _ in range(5)]
            until.set()
            await asyncio.gather(*tasks)
        return waits

    assert asyncio.run(story()) == [4, 10, 12, 16, 20]


def test_a_place_that_was_told_of_is_forgotten_when_its_time_has_come() -> None:
    """Who was to come back by now has a place, or asks again: the next refusal does not count him."""
    clock = Clock()
    queue = queue_of(clock)
    admitted = Admission(1, queue)

    async def story() -> list[int]:
        until = asyncio.Event()
        with admitted.place():
            running = asyncio.create_task(holding(queue, 10, 1050.0, [], until))
            await asyncio.sleep(0)
            waits = [refused(admitted), refused(admitted)]
            clock.now += 10.0
            waits.append(refused(admitted))
            clock.now += 10.0
            waits.append(refused(admitted))
            until.set()
            await running
        return waits

    assert asyncio.run(story()) == [10, 20, 10, 1]


def test_a_flood_of_refusals_is_counted_up_to_a_hundred() -> None:
    """Where operations take no time, a flood of refusals neither adds up to long waits nor to a long list."""
    admitted = Admission(1, EngineQueue(50.0, MeasuredSpeed(1000, 0.001), Clock()))
    with admitted.place():
        assert {refused(admitted) for _ in range(1000)} == {1}
    assert len(admitted._told) == 100


def test_a_flood_is_told_no_more_than_the_longest_wait() -> None:
    """However many are refused, nobody is sent away for longer than half a minute, and nothing is kept of them."""
    queue = queue_of(Clock())
    admitted = Admission(1, queue)

    async def story() -> list[int]:
        until = asyncio.Event()
        with admitted.place():
            running = asyncio.create_task(holding(queue, 10, 1050.0, [], until))
            await asyncio.sleep(0)
            waits = [refused(admitted) for _ in range(1000)]
            until.set()
            await running
        return waits

    assert asyncio.run(story()) == [10, 20] + [30] * 998
    assert len(admitted._told) == 2
