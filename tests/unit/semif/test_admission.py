"""Who comes in, who is told to come back, and when."""

import asyncio
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semif.admission import REMEASURE_SECONDS, START_COUNTS_SECONDS, Admission, Busy
from semif.decision import RequestError
from semif.speed import MeasuredSpeed


class Clock:
    """Stands still until it is moved."""

    now = 1000.0

    def __call__(self) -> float:
        """Seconds."""
        return self.now


def admission(clock: Clock, places: int = 5) -> Admission:
    """A second per token, and fifty for an answer."""
    return Admission(places, 50.0, MeasuredSpeed(1, 1.0), clock)


async def holding(
    admitted: Admission, tokens: int, deadline: float, order: list[int], until: asyncio.Event | None = None
) -> None:
    """Takes a turn, notes it and holds it."""
    async with admitted.turn(tokens, deadline):
        order.append(tokens)
        if until:
            await until.wait()


def test_what_is_late_alone_is_refused_for_good() -> None:
    """A request that would miss the deadline on an idle engine is a 400 that names both figures."""
    admitted = admission(Clock())

    with pytest.raises(RequestError) as refused:
        asyncio.run(holding(admitted, 51, 1050.0, []))

    assert refused.value.code == "too_slow_here"
    assert "51 s" in refused.value.message
    assert "50 s" in refused.value.message


def test_what_is_late_behind_others_is_told_when_to_come_back() -> None:
    """A request that fits alone but not behind those ahead is sent away for as long as it would be late."""
    clock = Clock()
    admitted = admission(clock)
    order: list[int] = []

    async def story() -> Busy:
        until = asyncio.Event()
        first = asyncio.create_task(holding(admitted, 30, 1050.0, order, until))
        await asyncio.sleep(0)
        second = asyncio.create_task(holding(admitted, 15, 1050.0, order))
        await asyncio.sleep(0)
        clock.now += 2.0
        with pytest.raises(Busy) as busy:
            await holding(admitted, 14, 1052.0, order)
        until.set()
        await asyncio.gather(first, second)
        return busy.value

    busy = asyncio.run(story())

    assert (busy.reason, busy.retry_after_seconds) == ("too_late", 7)  # 28 + 15 + 14 seconds where 50 are left
    assert order == [30, 15]


def refused(admitted: Admission) -> int:
    """Asks for a place where there is none; the seconds to stay away."""
    with pytest.raises(Busy) as busy, admitted.place():
        pass
    assert busy.value.reason == "no_place"
    return busy.value.retry_after_seconds


def test_no_place_says_when_the_running_operation_should_be_done() -> None:
    """The wait that is suggested is what the running operation still takes, at least a second."""
    clock = Clock()
    admitted = admission(clock, places=1)

    async def story() -> list[int]:
        waits = []
        until = asyncio.Event()
        with admitted.place():
            running = asyncio.create_task(holding(admitted, 12, 1050.0, [], until))
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
    admitted = admission(clock, places=3)

    async def story() -> list[int]:
        until = asyncio.Event()
        with ExitStack() as places:
            tasks = []
            for tokens in (4, 6, 2):
                places.enter_context(admitted.place())
                tasks.append(asyncio.create_task(holding(admitted, tokens, 1050.0, [], until)))
                await asyncio.sleep(0)
            waits = [refused(admitted) for _ in range(5)]
            until.set()
            await asyncio.gather(*tasks)
        return waits

    assert asyncio.run(story()) == [4, 10, 12, 16, 20]


def test_a_place_that_was_told_of_is_forgotten_when_its_time_has_come() -> None:
    """Who was to come back by now has a place, or asks again: the next refusal does not count him."""
    clock = Clock()
    admitted = admission(clock, places=1)

    async def story() -> list[int]:
        until = asyncio.Event()
        with admitted.place():
            running = asyncio.create_task(holding(admitted, 10, 1050.0, [], until))
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
    admitted = Admission(1, 50.0, MeasuredSpeed(1000, 0.001), Clock())
    with admitted.place():
        assert {refused(admitted) for _ in range(1000)} == {1}
    assert len(admitted._told) == 100


def test_a_flood_is_told_no_more_than_the_longest_wait() -> None:
    """However many are refused, nobody is sent away for longer than half a minute, and nothing is kept of them."""
    admitted = admission(Clock(), places=1)

    async def story() -> list[int]:
        until = asyncio.Event()
        with admitted.place():
            running = asyncio.create_task(holding(admitted, 10, 1050.0, [], until))
            await asyncio.sleep(0)
            waits = [refused(admitted) for _ in range(1000)]
            until.set()
            await running
        return waits

    assert asyncio.run(story()) == [10, 20] + [30] * 998
    assert len(admitted._told) == 2


def test_turns_come_in_the_order_of_arrival_and_leavers_hold_nobody_up() -> None:
    """First come, first served; one who leaves the queue takes his seconds along."""
    admitted = admission(Clock())
    order: list[int] = []

    async def story() -> None:
        until = asyncio.Event()
        tasks = [asyncio.create_task(holding(admitted, 5, 1050.0, order, until))]
        for tokens in (20, 2, 3):
            await asyncio.sleep(0)
            tasks.append(asyncio.create_task(holding(admitted, tokens, 1050.0, order)))
        await asyncio.sleep(0)
        tasks[1].cancel()
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(holding(admitted, 30, 1050.0, order)))  # 5 + 20 + 2 + 3 + 30 would be late
        await asyncio.sleep(0)
        until.set()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(story())

    assert order == [5, 2, 3, 30]


@given(st.lists(st.booleans(), max_size=30), st.integers(1, 4))
def test_places_are_never_lost_nor_made(steps: list[bool], places: int) -> None:
    """After any comings and goings as many are inside as hold a place, and never more than there are."""
    admitted = admission(Clock(), places)
    inside: list[ExitStack] = []
    for enter in steps:
        if not enter:
            if inside:
                inside.pop().close()
            continue
        stack = ExitStack()
        try:
            stack.enter_context(admitted.place())
        except Busy:
            assert len(inside) == places
        else:
            inside.append(stack)
    assert len(inside) <= places


def test_who_sends_a_body_holds_no_place() -> None:
    """However many bodies are being read, every place is free; only their number is bounded."""
    admitted = Admission(1, 50.0, MeasuredSpeed(1, 1.0), Clock(), readers=2)
    with admitted.reading(), admitted.reading():
        with admitted.place():
            pass
        with pytest.raises(Busy) as busy, admitted.reading():
            pass
    with admitted.reading():
        pass

    assert busy.value.reason == "no_place"


def test_no_body_is_read_where_no_place_is_free() -> None:
    """Who would find no place is told so before sending anything."""
    admitted = admission(Clock(), places=1)

    with admitted.place(), pytest.raises(Busy) as busy, admitted.reading():
        pass

    assert busy.value.reason == "no_place"


def test_closed_admission_lets_nobody_in() -> None:
    """After a stop nobody comes in, whatever is free."""
    admitted = admission(Clock())
    admitted.close()

    for entrance in (admitted.place, admitted.reading):
        with pytest.raises(Busy) as busy, entrance():
            pass
        assert busy.value.reason == "stopping"


def test_a_waiter_whose_deadline_passes_is_told_to_come_back() -> None:
    """Whoever is behind an operation that never ends is answered at the deadline, and the turn is not lost."""
    clock = Clock()
    admitted = admission(clock)
    order: list[int] = []

    async def story() -> Busy:
        until = asyncio.Event()
        stuck = asyncio.create_task(holding(admitted, 0, clock.now + 50, order, until))
        await asyncio.sleep(0)
        with pytest.raises(Busy) as busy:
            await holding(admitted, 0, clock.now + 0.01, order)
        until.set()
        await stuck
        await holding(admitted, 1, clock.now + 50, order)
        return busy.value

    assert asyncio.run(story()).reason == "too_late"
    assert order == [0, 1]


def test_an_old_speed_refuses_nobody_for_good() -> None:
    """When nothing was measured for long, a request that seems too slow is tried; right after a try it is not."""
    clock = Clock()
    admitted = admission(clock)
    order: list[int] = []

    async def refused() -> str:
        with pytest.raises(RequestError) as error:
            await holding(admitted, 51, clock.now + 50, order)
        return error.value.code

    async def story() -> list[str]:
        await holding(admitted, 1, clock.now + 50, [])
        clock.now += REMEASURE_SECONDS - 1
        codes = [await refused()]
        clock.now += 1
        await holding(admitted, 51, clock.now + 50, order)
        return [*codes, await refused()]

    assert asyncio.run(story()) == ["too_slow_here"] * 2
    assert order == [51]


def test_the_starts_own_measurement_refuses_nobody_for_long() -> None:
    """What was measured while everything started counts for half a minute; then what seems too slow is tried."""
    clock = Clock()
    admitted = admission(clock)
    clock.now += START_COUNTS_SECONDS - 1
    with pytest.raises(RequestError):
        asyncio.run(holding(admitted, 51, clock.now + 50, []))
    clock.now += 1
    order: list[int] = []

    asyncio.run(holding(admitted, 51, clock.now + 50, order))

    assert order == [51]


def test_the_first_operation_replaces_the_starts_measurement() -> None:
    """However slow the start's few tokens were, the first operation says how fast the machine is."""
    speed = MeasuredSpeed(16, 12.0)

    speed.observe(100, 1.0)

    assert speed.seconds(100) == pytest.approx(1.0)


def test_nobody_slips_in_between_two_turns() -> None:
    """In the moment when one turn ended and the next has not begun, who waits is still ahead."""
    clock = Clock()
    admitted = admission(clock)
    order: list[int] = []

    async def story() -> list[object]:
        until = asyncio.Event()
        ahead = [asyncio.create_task(holding(admitted, 5, 1050.0, order, until))]
        await asyncio.sleep(0)
        ahead.append(asyncio.create_task(holding(admitted, 30, 1050.0, order)))
        await asyncio.sleep(0)
        until.set()  # wakes the holder, who gives the turn back in the same round as the newcomer asks
        newcomer = asyncio.create_task(holding(admitted, 25, 1050.0, order))
        return await asyncio.gather(*ahead, newcomer, return_exceptions=True)

    assert isinstance(asyncio.run(story())[2], Busy)
    assert order == [5, 30]
