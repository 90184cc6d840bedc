import threading
import time

import pytest

from semif.llama.watchdog import Watchdog

SOON, LATE = 0.02, 60.0


def soon() -> float:
    """A deadline that is about to pass."""
    return time.monotonic() + SOON


def test_watchdog_fires_at_the_deadline() -> None:
    """What outlives its deadline is ended, once."""
    fired = threading.Semaphore(0)
    watchdog = Watchdog(fired.release)

    with watchdog.watch(soon()):
        assert fired.acquire(timeout=30)
        assert not fired.acquire(timeout=3 * SOON)


def test_watchdog_fires_for_a_deadline_earlier_than_the_one_before() -> None:
    """A watchdog that sleeps for a late deadline wakes for an earlier one."""
    fired = threading.Semaphore(0)
    watchdog = Watchdog(fired.release)
    with watchdog.watch(time.monotonic() + LATE):
        pass

    with watchdog.watch(soon()):
        assert fired.acquire(timeout=30)


def test_watchdog_never_fires_into_the_next_operation() -> None:
    """A deadline that passes after its operation ended hits nobody, and the next one is still watched."""
    fired = threading.Semaphore(0)
    watchdog = Watchdog(fired.release)
    with watchdog.watch(soon()):
        pass

    with watchdog.watch(time.monotonic() + LATE):
        assert not fired.acquire(timeout=5 * SOON)
    with watchdog.watch(soon()):
        assert fired.acquire(timeout=30)


def test_the_end_of_an_operation_waits_for_a_watchdog_that_fires() -> None:
    """Firing and ending exclude each other: nothing is fired once the block is left."""
    firing, over = threading.Event(), threading.Event()
    seen: list[bool] = []

    def fire() -> None:
        firing.set()
        time.sleep(0.05)
        seen.append(over.is_set())

    with Watchdog(fire).watch(soon()):
        assert firing.wait(30)
    over.set()

    assert seen == [False]


def test_an_operation_without_a_deadline_is_not_watched() -> None:
    """No deadline, no thread."""
    before = threading.active_count()
    with Watchdog(lambda: pytest.fail("nothing was due")).watch(None):
        assert threading.active_count() == before
