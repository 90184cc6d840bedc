"""The composition root."""

import socket
from collections.abc import Mapping

import pytest

from semif import __main__ as root


def test_the_listener_names_its_protocol() -> None:
    """Asyncio turns Nagle off only on sockets that say they are TCP; with it an answer waits 40 ms."""
    with root._listener("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_a_start_that_trips_over_anything_ends_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error nobody thought of names its class and place, and the exit code says that the start failed."""

    def read(_: Mapping[str, str]) -> None:
        raise OSError("no room\nanywhere")

    monkeypatch.setattr(root, "read_settings", read)

    assert root.main(["serve"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("semif: OSError at test_main.py:")
    assert error.endswith(": no room anywhere.\n")
