"""A container that is asked by its URL, over real sockets."""

import socket

import pytest

from decision_client.errors import NoAnswerError, NotConnectedError
from decision_client.http_transport import HttpTransport
from decision_client.transport import MOST_ANSWER_BYTES
from tests.unit.decision_client.listening import (
    Answer,
    cut_off,
    drips,
    drips_its_head,
    hangs_up,
    listening,
    says,
    stays_silent,
)

CANARY = b'{"state": "canary-7f3a"}'


def test_request_is_posted_to_invocations() -> None:
    """Body and content type arrive as the container wants them, with a length, and the reply comes back."""
    with listening(says(200, b"{}")) as container:
        reply = HttpTransport(container.url + "/").send(b"{1}", 5)

    (received,) = container.received
    assert (received.path, received.body, received.headers["Content-Type"]) == (
        "/invocations",
        b"{1}",
        "application/json",
    )
    assert received.headers["Content-Length"] == "3"
    assert (reply.status, reply.body) == (200, b"{}")


def test_connection_is_used_again() -> None:
    """Requests one after another need no new connection, answers of 503 among them."""
    with listening(says(503, b"{}"), says(200, b"{}")) as container:
        transport = HttpTransport(container.url)
        assert [transport.send(b"{}", 5).status for _ in range(3)] == [503, 200, 200]

    assert len({received.port for received in container.received}) == 1


@pytest.mark.parametrize("status", [301, 307, 500, 503])
def test_nothing_is_sent_a_second_time(status: int) -> None:
    """The library follows no redirect and repeats no failure by itself."""
    with listening(says(status, b"{}", Location="/invocations", Retry_After="0")) as container:
        assert HttpTransport(container.url).send(b"{}", 5).status == status

    assert len(container.received) == 1


@pytest.mark.parametrize(
    ("answer", "seconds"), [(hangs_up, 5), (cut_off, 5), (stays_silent, 0.05), (drips, 0.1), (drips_its_head, 0.1)]
)
def test_broken_or_silent_connection_is_no_answer(answer: Answer, seconds: float) -> None:
    """Whatever happens on the socket is one exception, which holds nothing of what was sent."""
    with listening(answer) as container, pytest.raises(NoAnswerError) as caught:
        HttpTransport(container.url).send(CANARY, seconds)

    assert "canary" not in repr(caught.value)
    assert caught.value.__context__ is None


def test_answer_without_end_is_not_kept() -> None:
    """More bytes than any answer has are read no further."""
    endless = says(200, b" " * (MOST_ANSWER_BYTES + 100_000))
    with listening(endless) as container, pytest.raises(NoAnswerError, match="too long"):
        HttpTransport(container.url).send(b"{}", 30)


def test_port_where_nobody_listens_is_not_connected() -> None:
    """A refused connection is told from a silent one."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    with pytest.raises(NotConnectedError):
        HttpTransport(f"http://127.0.0.1:{port}").send(b"{}", 5)


@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:8080", "ftp://host", "http://", "http://name:secret@host", "http://host/?key=secret", "http://host:x"],
)
def test_url_that_is_none_is_refused(url: str) -> None:
    """It is named by rule, and a secret in it is not repeated."""
    with pytest.raises(ValueError, match=r"^url: ") as caught:
        HttpTransport(url)
    assert "secret" not in str(caught.value)
