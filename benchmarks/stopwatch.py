"""Wall time, and the CPU seconds of the one process that does the work."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CDLL, byref, c_int
from dataclasses import dataclass

_SETTLE_SECONDS = 0.02  # what a process still does after its answer belongs to the answer


@dataclass(slots=True)
class Elapsed:
    """What one piece of work took, in seconds."""

    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0


def cpu_seconds(pid: int) -> float:
    """CPU seconds all threads of a process have used so far, with the kernel's full resolution.

    Raises:
        ProcessLookupError: There is no such process.
    """
    clock = c_int()
    if CDLL(None).clock_getcpuclockid(pid, byref(clock)):
        raise ProcessLookupError(f"process {pid} has no CPU clock")
    return time.clock_gettime(clock.value)


@contextmanager
def stopwatch(pid: int | None = None) -> Iterator[Elapsed]:
    """Measures its block; CPU of this process, or of another one that the block waits for."""
    elapsed = Elapsed()
    worker = os.getpid() if pid is None else pid
    before, started = cpu_seconds(worker), time.perf_counter()
    yield elapsed
    elapsed.wall_seconds = time.perf_counter() - started
    if pid is not None:
        time.sleep(_SETTLE_SECONDS)
    elapsed.cpu_seconds = cpu_seconds(worker) - before
