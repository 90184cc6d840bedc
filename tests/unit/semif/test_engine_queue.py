"""Who has the engine next, and who would be late."""

import asyncio

import pytest

from semif.busy import Busy
from semif.decision import RequestError
from semif.engine_queue import EngineQueue
from semif.speed import MeasuredSpeed
from tests.unit.semif.waiting import Clock, holding, queue_of


def test_what_is_late_alone_is_refused_for_good() -> None:
    """A request that would miss the deadline on an idle engine is a 400 that names both figures."""
    queue = queue_of(Clock())

    with pytest.raises(RequestError) as refused:
        asyncio.run(holding(queue, 51, 1050.0, []))

    assert refused.value.code == "too_slow_here"
    assert "51 s" in refused.value.message
    assert "50 s" in refused.value.message


def test_what_is_late_behind_others_is_told_when_to_come_back() -> None:
    """A request that fits alone but not behind those ahead is sent away for as long as it would be late."""
    clock = Clock()
    queue = queue_of(clock)
    order: list[int] = []

    async def story() -> Busy:
        until = asyncio.Event()
        first = asyncio.create_task(holding(queue, 30, 1050.0, order, until))
        await asyncio.sleep(0)
        second = asyncio.create_task(holding(queue, 15, 1050.0, order))
        await asyncio.sleep(0)
        clock.now += 2.0
        with pytest.raises(Busy) as busy:
            await holding(queue, 14, 1052.0, order)
        until.set()
        await asyncio.gather(first, second)
        return busy.value

    busy = asyncio.run(story())

    assert (busy.reason, busy.retry_after_seconds) == ("too_late", 7)  # 28 + 15 + 14 seconds where 50 are left
    assert order == [30, 15]


def test_turns_come_in_the_order_of_arrival_and_leavers_hold_nobody_up() -> None:
    """First come, first served; one who leaves the queue takes his seconds along."""
    queue = queue_of(Clock())
    order: list[int] = []

    async def story() -> None:
        until = asyncio.Event()
        tasks = [asyncio.create_task(holding(queue, 5, 1050.0, order, until))]
        for tokens in (20, 2, 3):
            await asyncio.sleep(0)
            tasks.append(asyncio.create_task(holding(queue, tokens, 1050.0, order)))
        await asyncio.sleep(0)
        tasks[1].cancel()
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(holding(queue, 30, 1050.0, order)))  # 5 + 20 + 2 + 3 + 30 would be late
        await asyncio.sleep(0)
        until.set()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(story())

    assert order == [5, 2, 3, 30]


def test_a_waiter_whose_deadline_passes_is_told_to_come_back() -> None:
    """Whoever is behind an operation that never ends is answered at the deadline, and the turn is not lost."""
    clock = Clock()
    queue = queue_of(clock)
    order: list[int] = []

    async def story() -> Busy:
        until = asyncio.Event()
        stuck = asyncio.create_task(holding(queue, 20, clock.now + 50, order, until))
        await asyncio.sleep(0)
        clock.now += 30  # it should be done, and is not
        with pytest.raises(Busy) as busy:
            await holding(queue, 0, clock.now + 0.01, order)
        assert busy.value.retry_after_seconds == 1
        until.set()
        await stuck
        await holding(queue, 1, clock.now + 50, order)
        return busy.value

    assert asyncio.run(story()).reason == "too_late"
    assert order == [20, 1]


def test_nobody_slips_in_between_two_turns() -> None:
    """In the moment when one turn ended and the next has not begun, who waits is still ahead."""
    clock = Clock()
    queue = queue_of(clock)
    order: list[int] = []

    async def story() -> list[object]:
        until = asyncio.Event()
        ahead = [asyncio.create_task(holding(queue, 5, 1050.0, order, until))]
        await asyncio.sleep(0)
        ahead.append(asyncio.create_task(holding(queue, 30, 1050.0, order)))
        await asyncio.sleep(0)
        until.set()  # wakes the holder, who gives the turn back in the same round as the newcomer asks
        newcomer = asyncio.create_task(holding(queue, 25, 1050.0, order))
        return await asyncio.gather(*ahead, newcomer, return_exceptions=True)

    assert isinstance(asyncio.run(story())[2], Busy)
    assert order == [5, 30]


@pytest.mark.parametrize("late", [False, True])
def test_what_is_just_in_time_comes_in(*, late: bool) -> None:
    """An estimate that meets the deadline to the second is in time, alone and behind others; a second more is not."""
    clock = Clock()
    queue = queue_of(clock)
    order: list[int] = []

    async def story() -> None:
        until = asyncio.Event()
        first = asyncio.create_task(holding(queue, 50, clock.now + 50, order, until))
        await asyncio.sleep(0)
        clock.now += 40
        second = asyncio.create_task(holding(queue, 40 + late, clock.now + 50, order))  # 10 are still ahead
        await asyncio.sleep(0)
        until.set()
        done = await asyncio.gather(first, second, return_exceptions=True)
        assert isinstance(done[1], Busy) is late

    asyncio.run(story())
    assert order == [50] + [40] * (not late)


def test_who_was_overtaken_by_time_is_told_to_come_back_after_who_runs_then() -> None:
    """The one ahead got the engine later than expected: what is left of his time, and a second more."""
    clock = Clock()
    queue = EngineQueue(50.0, MeasuredSpeed(1000, 1.0), clock)
    order: list[int] = []

    async def story() -> Busy:
        until = asyncio.Event()
        first = asyncio.create_task(holding(queue, 5, clock.now + 50, order))
        ahead = asyncio.create_task(holding(queue, 40, clock.now + 50, order, until))
        await asyncio.sleep(0)
        with pytest.raises(Busy) as busy:
            await holding(queue, 5, clock.now + 0.05, order)
        until.set()
        await asyncio.gather(first, ahead)
        return busy.value

    assert asyncio.run(story()).retry_after_seconds == 2
    assert order == [5, 40]
