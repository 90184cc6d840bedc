"""The way to a bare container: `POST /invocations` at its URL."""

from urllib.parse import urlsplit

import urllib3
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError

from decision_client.errors import DecisionError, NoAnswerError, NotConnectedError
from decision_client.timed_answer import pool
from decision_client.transport import CONNECT_SECONDS, CONNECTIONS, MOST_ANSWER_BYTES, READ_SECONDS, Reply

_HEADERS = {"Content-Type": "application/json"}
_CHUNK_BYTES = 65_536


class HttpTransport:
    """A container that is reached by its own URL, such as `http://127.0.0.1:8080`."""

    def __init__(self, url: str) -> None:
        """Connects to nothing yet.

        Raises:
            ValueError: The URL is not one of http or https with a host, or holds more than a path.
        """
        problem = _problem(url)
        if problem:
            raise ValueError(f"url: {problem}")
        self._url = url.rstrip("/") + "/invocations"
        self._pool = pool(CONNECTIONS)

    def send(self, body: bytes, timeout_seconds: float) -> Reply:
        """Send one request; see `Transport`."""
        failure: DecisionError
        try:
            return self._exchange(body, timeout_seconds)
        except (NewConnectionError, ConnectTimeoutError) as error:
            failure = NotConnectedError(f"no connection to the endpoint ({type(error).__name__})")
        except (HTTPError, OSError) as error:
            failure = NoAnswerError(f"the endpoint did not answer ({type(error).__name__})")
        raise failure  # outside of the handler: the library's exception may hold what was sent

    def _exchange(self, body: bytes, timeout_seconds: float) -> Reply:
        # Of the total, the time to connect is taken away from the time for the answer.
        timeout = urllib3.Timeout(total=timeout_seconds, connect=CONNECT_SECONDS, read=READ_SECONDS)
        response = self._pool.request(
            "POST", self._url, body=body, headers=_HEADERS, timeout=timeout, redirect=False, preload_content=False
        )
        try:
            return Reply(response.status, _read(response))
        finally:
            response.close()  # nothing, if all was read: its connection is back in the pool


def _problem(url: str) -> str:
    """Name what is wrong with a URL; it may hold a secret, so it is not repeated."""
    try:
        parts = urlsplit(url)
        known = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        known = False
    if not known:
        return "is none of http or https with a host"
    if parts.username is not None or parts.query or parts.fragment:
        return "holds more than scheme, host, port and path"
    return ""


def _read(response: urllib3.BaseHTTPResponse) -> bytes:
    parts, size = [], 0
    while part := response.read1(_CHUNK_BYTES):
        parts.append(part)
        size += len(part)
        if size > MOST_ANSWER_BYTES:
            raise NoAnswerError("the endpoint's answer is too long")
    return b"".join(parts)
