"""Connections on which an answer has one time for all of it; a socket's own timeout begins anew with each byte."""

import contextlib
import http.client
import io
import socket
import time
from typing import Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool


class _Timed(io.RawIOBase):
    """What a socket says, until the timeout that it has now is over, head and body together."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw, self._socket = raw, sock
        self._seconds = sock.gettimeout()
        self._until = time.monotonic() + (self._seconds or 0.0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:  # noqa: ANN401 - whatever can be written to
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._socket.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        with contextlib.suppress(OSError):  # it may be closed; if it is used again, it has its own timeout
            self._socket.settimeout(self._seconds)
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **keywords: Any) -> None:  # noqa: ANN401 - the library's own
        super().__init__(sock, *args, **keywords)
        self.fp = io.BufferedReader(_Timed(self.fp.detach(), sock))


class _Connection(HTTPConnection):
    response_class = _Response


class _SecureConnection(HTTPSConnection):
    response_class = _Response


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


def pool(connections: int) -> urllib3.PoolManager:
    """Return a pool that repeats nothing and whose read timeout is for a whole answer."""
    manager = urllib3.PoolManager(maxsize=connections, retries=False)
    manager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
    return manager
