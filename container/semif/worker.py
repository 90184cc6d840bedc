"""The one thread that owns the engine's context."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class EngineWorker(Executor):
    """Runs calls one after another on one thread that does not keep the process from ending."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="semif-engine", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the thread is there."""
        return self._thread.is_alive()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queues one call; its result or exception arrives in the future."""
        future: Future[T] = Future()

        def call() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 - it belongs to the caller, who waits for it
                future.set_exception(error)

        self._calls.put(call)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - Executor's signature
        """Ends the thread after what is queued; `cancel_futures` is not needed, as nothing stays queued."""
        del cancel_futures
        self._calls.put(None)
        if wait:
            self._thread.join()

    def join(self, seconds: float) -> bool:
        """Waits for the end of the thread; whether it came."""
        self._thread.join(seconds)
        return not self.alive

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
            del call  # or the last call's arguments would live until the next one
