"""Ctrl-C, SIGTERM and SIGHUP: one of them interrupts the run once, and never between a start and its bookkeeping."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Held:
    """Whether interruptions wait, and whether one does."""

    depth = 0
    noted = False


def listen() -> None:
    """Turn each of the signals into a KeyboardInterrupt in the main thread."""
    for number in SIGNALS:
        signal.signal(number, _interrupt)


@contextmanager
def held() -> Iterator[None]:
    """Let no interruption come while the body runs; one that waits comes at its end.

    A process that is started in the body is thereby always known to whoever has to end it.
    """
    _Held.depth += 1
    try:
        yield
    finally:
        _Held.depth -= 1
        if _Held.noted and not _Held.depth:
            _Held.noted = False
            raise KeyboardInterrupt


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    # A second signal must not interrupt the cleaning up after the first.
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if _Held.depth:
        _Held.noted = True
    else:
        raise KeyboardInterrupt
