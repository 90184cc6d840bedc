"""When the container says that it cannot decide, what it measures, and the thread that works."""

import threading
import weakref
from concurrent.futures import wait

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semif.health import INVALID_IN_A_ROW, OVERDUE_SECONDS, Health
from semif.speed import MeasuredSpeed
from semif.worker import EngineWorker
from tests.contract.toy import ToyEngine


class Clock:
    """Stands still until it is moved."""

    now = 0.0

    def __call__(self) -> float:
        """Seconds."""
        return self.now


def test_each_fault_has_its_name_and_healing_is_seen() -> None:
    """A broken engine, an overdue operation and repeated invalid numbers are problems until they end."""
    clock, engine = Clock(), ToyEngine()
    health = Health(engine, EngineWorker(), clock)

    assert health.problem() is None
    health.begin(10.0)
    clock.now = 10.0 + OVERDUE_SECONDS
    assert health.problem() is None
    clock.now += 0.1
    assert health.problem() == "operation_overdue"
    health.end()
    assert health.problem() is None
    for _ in range(INVALID_IN_A_ROW - 1):
        health.invalid()
    assert health.problem() is None
    health.invalid()
    assert health.problem() == "invalid_numbers"
    health.valid()
    assert health.problem() is None
    engine.alive = False
    assert health.problem() == "engine_broken"


def test_a_dead_worker_is_a_problem() -> None:
    """Without the thread that owns the context nothing can be decided."""
    worker = EngineWorker()
    health = Health(ToyEngine(), worker)
    worker.shutdown()

    assert health.problem() == "worker_dead"


def test_worker_runs_calls_in_order_on_one_thread_and_survives_failures() -> None:
    """Results and exceptions arrive where they belong, and the thread goes on."""
    worker = EngineWorker()
    calls = [worker.submit(threading.get_ident), worker.submit(int, "x"), worker.submit(threading.get_ident)]
    wait(calls, timeout=30)

    assert calls[0].result() == calls[2].result() != threading.get_ident()
    with pytest.raises(ValueError, match="invalid literal"):
        calls[1].result()
    assert worker.alive
    worker.shutdown()
    assert not worker.alive


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit, MemoryError])
def test_no_exception_of_a_call_ends_the_worker(end: type[BaseException]) -> None:
    """It belongs to the caller, whatever it is; the thread owns the context and must stay."""
    worker = EngineWorker()

    def fail() -> None:
        raise end

    with pytest.raises(end):
        worker.submit(fail).result(timeout=30)
    assert worker.submit(int, "7").result(timeout=30) == 7
    worker.shutdown()


def test_a_worker_keeps_nothing_of_a_call_that_is_over() -> None:
    """What a request held is freed when it was answered, and not when the next one comes."""

    class Held:
        """Something a request holds."""

    worker, held = EngineWorker(), Held()
    freed = threading.Event()
    weakref.finalize(held, freed.set)
    worker.submit(id, held).result(timeout=30)

    del held

    assert freed.wait(30)
    worker.shutdown()


@given(st.lists(st.tuples(st.integers(1, 5000), st.floats(0.001, 60)), min_size=60, max_size=60))
def test_the_estimate_lies_between_what_was_seen(seen: list[tuple[int, float]]) -> None:
    """After enough operations the first estimate is forgotten, and the speed is one of those seen or between them."""
    speed = MeasuredSpeed(1, 0.001)
    for tokens, seconds in seen:
        speed.observe(tokens, seconds)

    rates = [seconds / tokens for tokens, seconds in seen]
    assert min(rates) * 0.9 <= speed.seconds(1) <= max(rates) * 1.1 + 0.001


def test_an_aborted_operation_teaches_only_slowness() -> None:
    """Ended after more seconds than expected it makes the estimate slower; ended before, it says nothing."""
    speed = MeasuredSpeed(100, 1.0)

    speed.observe_aborted(1000, 2.0)
    unchanged = speed.seconds(100)
    speed.observe_aborted(1000, 50.0)

    assert unchanged == 1.0
    assert speed.seconds(100) > 4.0


def test_the_first_operation_replaces_the_starts_measurement() -> None:
    """However slow the start's few tokens were, the first operation says how fast the machine is."""
    speed = MeasuredSpeed(16, 12.0)

    speed.observe(100, 1.0)

    assert speed.seconds(100) == pytest.approx(1.0)
