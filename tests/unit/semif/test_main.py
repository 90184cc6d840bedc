"""The composition root."""

import socket

from semif.__main__ import _listener


def test_the_listener_names_its_protocol() -> None:
    """Asyncio turns Nagle off only on sockets that say they are TCP; with it an answer waits 40 ms."""
    with _listener("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP
