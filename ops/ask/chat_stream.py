"""A chat completion as it is written, through InvokeEndpointWithResponseStream."""

import contextlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ops.ask import CHAT_REQUEST

if TYPE_CHECKING:
    from types_boto3_sagemaker_runtime import SageMakerRuntimeClient

_END: Final = "[DONE]"


class StreamCutError(RuntimeError):
    """The stream ended before the completion did, or carried an error instead of it."""


@dataclass(frozen=True)
class StreamedChat:
    """A completion's pieces in the order they came, and the seconds until the first and the last of them."""

    pieces: tuple[str, ...]
    first_seconds: float
    seconds: float

    @property
    def text(self) -> str:
        """The completion in one line."""
        return " ".join("".join(self.pieces).split())

    @property
    def sentence(self) -> str:
        """What is shown of it."""
        pieces = f"{len(self.pieces)} pieces, the first after {self.first_seconds:.2f} s of {self.seconds:.2f} s"
        return f"{self.text} ({pieces})"


def stream_chat(
    runtime: "SageMakerRuntimeClient", endpoint_name: str, request: Mapping[str, Any] = CHAT_REQUEST
) -> StreamedChat:
    """Ask the chat endpoint, its known question unless there is another, and read the answer as it is written.

    Raises:
        StreamCutError: the completion did not reach its end.
        botocore.exceptions.ClientError: the endpoint refused, is not there, or broke off.
    """
    since = time.monotonic()
    response = runtime.invoke_endpoint_with_response_stream(
        EndpointName=endpoint_name,
        ContentType="application/json",
        Body=json.dumps({**request, "stream": True}).encode(),
    )
    # What follows the completion's end is not read: the connection is of no further use.
    with contextlib.closing(response["Body"]) as body:
        return read_stream(_parts(body), since)


def read_stream(parts: Iterable[bytes], since: float | None = None) -> StreamedChat:
    """Put a streamed completion together.

    Args:
        parts: Its bytes, cut anywhere.
        since: When it was asked for, on the monotonic clock; now if nobody says.

    Raises:
        StreamCutError: the completion did not reach its end.
    """
    since = time.monotonic() if since is None else since
    pieces, first = [], 0.0
    for piece in contents(parts):
        first = first or time.monotonic() - since
        pieces.append(piece)
    return StreamedChat(tuple(pieces), first, time.monotonic() - since)


def contents(parts: Iterable[bytes]) -> Iterator[str]:
    """Yield the text of each server-sent event of a completion; parts may be cut anywhere.

    Raises:
        StreamCutError: as above.
    """
    for line in _lines(parts):
        field, _, value = line.partition(":")
        if field == "error":
            raise StreamCutError(f"the endpoint sent an error: {value.strip()}")
        if field != "data":
            continue  # a comment, by which the server keeps the connection open, or an empty line
        if value.strip() == _END:
            return
        event: dict[str, Any] = json.loads(value)
        if "error" in event:
            raise StreamCutError(f"the endpoint sent an error: {event['error']}")
        content = event["choices"][0]["delta"].get("content") if event.get("choices") else None
        if content:
            yield content
    raise StreamCutError("the stream ended before the completion did")


def _lines(parts: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for part in parts:
        *whole, rest = (rest + part).split(b"\n")
        for line in whole:
            yield line.decode()


def _parts(body: Iterable[Any]) -> Iterator[bytes]:
    """Yield the payloads of an event stream; botocore raises what is an exception in it."""
    for event in body:
        yield event["PayloadPart"]["Bytes"]
