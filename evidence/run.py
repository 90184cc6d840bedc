"""How a phase's requests are asked: one after the other, by several clients, or at fixed times."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Final

from evidence.exchange import Exchange
from evidence.plan import Closed, Open, Request
from evidence.records import Key

MOST_OUTSTANDING: Final = 256
"""Of an open loop: each has a thread and a connection."""


def missing(requests: Sequence[Request], answered: set[Key]) -> list[Request]:
    """Return what is still to be asked; of a shared request only the decisions without an answer."""
    left = (tuple(item for item in request if item.key not in answered) for request in requests)
    return [request for request in left if request]


def ask_all(
    phase: Closed | Open, requests: Sequence[Request], exchange: Exchange, sleep: Callable[[float], None]
) -> None:
    """Ask a phase's requests; whatever ends this early, what was begun is finished and written.

    Args:
        phase: How they are asked.
        requests: What is asked, in order.
        exchange: Asks one.
        sleep: Waits for seconds.

    Raises:
        EndpointGoneError: The endpoint is gone.
    """
    if isinstance(phase, Closed) and phase.clients == 1:
        for request in requests:
            exchange.ask(request, patience=0)
        return
    threads = phase.clients if isinstance(phase, Closed) else MOST_OUTSTANDING
    crew = _Crew(exchange, threads)
    with ThreadPoolExecutor(threads) as pool:
        try:
            if isinstance(phase, Closed):
                wait([pool.submit(crew.ask, request) for request in requests])
            else:
                wait(_begin(phase, requests, crew, pool, sleep))
        finally:
            crew.stop()
    if crew.failure:
        raise crew.failure


class _Crew:
    """Threads that ask; when one fails or all are told to stop, what is not begun is left."""

    def __init__(self, exchange: Exchange, threads: int) -> None:
        self.exchange = exchange
        self.failure: Exception | None = None
        self.free = threading.Semaphore(threads)
        self._threads = threads
        self._stopped = threading.Event()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        self._stopped.set()

    def ask(self, request: Request, due: float | None = None) -> None:
        if self.stopped:
            return
        late = 0.0 if due is None else max(0.0, self.exchange.clock() - due)
        try:
            self.exchange.ask(request, patience=self._threads, late_seconds=late)
        except Exception as error:  # noqa: BLE001 - raised again where the phase ends
            self.failure = self.failure or error
            self.stop()
        finally:
            self.free.release()


def _begin(
    phase: Open, requests: Sequence[Request], crew: _Crew, pool: ThreadPoolExecutor, sleep: Callable[[float], None]
) -> list[Future[None]]:
    begun, clock = crew.exchange.clock(), crew.exchange.clock
    running: list[Future[None]] = []
    for number, request in enumerate(requests):
        due = begun + number / phase.rate
        if (early := due - clock()) > 0:
            sleep(early)
        if crew.stopped:
            break
        if crew.free.acquire(blocking=False):
            running.append(pool.submit(crew.ask, request, due))
        else:
            crew.exchange.not_begun(request)
    return running
