"""One attempt: bytes to an endpoint, and what came back."""

from dataclasses import dataclass, field
from typing import Final, Protocol

CONNECT_SECONDS: Final = 5.0
READ_SECONDS: Final = 70.0
"""SageMaker cuts an invocation at 60 s and asks for a client that waits longer."""

CONNECTIONS: Final = 64
"""Kept open for as many threads; more threads open more, which are closed after use."""

MOST_ANSWER_BYTES: Final = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Reply:
    """The status of the container or of the service in front of it, and the body, which may repeat a request's text."""

    status: int
    body: bytes = field(repr=False)


class Transport(Protocol):
    """A way to one endpoint, usable from several threads; it never sends anything a second time."""

    def send(self, body: bytes, timeout_seconds: float) -> Reply:
        """Send one request and wait for its reply no longer than told.

        Raises:
            NoAnswerError: The connection broke or stayed silent.
            EndpointNotFoundError: There is no such endpoint; `NotConnectedError` if no connection could be made.
            NotAllowedError: There are no credentials to send it with.
        """
        ...
