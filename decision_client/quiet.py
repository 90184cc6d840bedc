"""Keeps requests and answers out of the SDK's debug log, which would write both whole."""

import contextlib
import logging
from collections.abc import Iterator
from contextvars import ContextVar

_LOGGERS = ("botocore.endpoint", "botocore.parsers")
_sending: ContextVar[bool] = ContextVar("sending", default=False)


def _not_sending(_record: logging.LogRecord) -> bool:
    return not _sending.get()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Drop what these loggers say about the calls of this block; other calls and threads are logged as before."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_not_sending)  # adding it again changes nothing
    token = _sending.set(True)
    try:
        yield
    finally:
        _sending.reset(token)
