"""One time for a whole answer, on connections that are used again."""

import socket
from typing import Any

import pytest

from decision_client.timed_answer import _Timed, pool
from tests.unit.decision_client.listening import listening, says


def test_connection_that_is_kept_has_the_whole_time_again() -> None:
    """What was left when an answer was there is no limit of what is sent next on that connection."""
    with listening(says(200, b"{}")) as container:
        kept = pool(1)
        assert kept.request("POST", container.url, body=b"{}", timeout=5).data == b"{}"
        connection: Any = kept.connection_from_url(container.url).pool.get()  # type: ignore[union-attr] # it is open
        seconds = connection.sock.gettimeout()
        connection.close()

    assert seconds == 5


def test_answer_whose_bytes_are_always_there_ends_with_its_time_too() -> None:
    """Nothing is waited for, and the time is over all the same."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(0)
        answer = _Timed(ours.makefile("rb").detach(), ours)
        theirs.sendall(b"x")
        with answer, pytest.raises(TimeoutError):
            answer.readinto(bytearray(1))


def test_pool_takes_both_schemes() -> None:
    """A container behind https has the same connections."""
    manager = pool(1)

    assert {type(manager.connection_from_url(f"{scheme}://host")).__module__ for scheme in ("http", "https")} == {
        "decision_client.timed_answer"
    }
