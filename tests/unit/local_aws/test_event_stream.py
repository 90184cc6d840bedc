from typing import Any

from botocore.eventstream import EventStreamBuffer
from hypothesis import given
from hypothesis import strategies as st

from local_aws.emulator.event_stream import payload_part, stream_error


@given(st.lists(st.binary(max_size=200), max_size=5))
def test_frames_are_read_back_by_botocore(parts: list[bytes]) -> None:
    """The reader of botocore, checksums and all, finds the payloads in the order they were framed."""
    buffer = EventStreamBuffer()
    buffer.add_data(b"".join(map(payload_part, parts)))

    assert parts == [event.payload for event in buffer]


def test_error_frame_is_an_exception_of_the_stream() -> None:
    """An error frame names the exception of the service's API model."""
    buffer = EventStreamBuffer()
    buffer.add_data(stream_error("ModelStreamError", b"{}"))

    event: Any
    (event,) = buffer

    assert (event.headers[":message-type"], event.headers[":exception-type"]) == ("exception", "ModelStreamError")
