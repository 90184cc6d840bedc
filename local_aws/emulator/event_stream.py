"""The binary framing of AWS event streams, as far as a streamed endpoint answer needs it."""

import struct
import zlib
from typing import Final

_STRING_TYPE: Final = 7
_OVERHEAD_BYTES: Final = 16


def payload_part(payload: bytes) -> bytes:
    """Return one frame that carries a part of the container's answer."""
    headers = {":event-type": "PayloadPart", ":content-type": "application/octet-stream", ":message-type": "event"}
    return frame(headers, payload)


def stream_error(code: str, message: bytes) -> bytes:
    """Return the frame that ends a stream with an error; the message is JSON."""
    headers = {":exception-type": code, ":content-type": "application/json", ":message-type": "exception"}
    return frame(headers, message)


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """Return a frame: lengths, their checksum, headers, payload, and a checksum over all of it."""
    encoded = b"".join(
        struct.pack("!B", len(name)) + name.encode() + struct.pack("!BH", _STRING_TYPE, len(value)) + value.encode()
        for name, value in headers.items()
    )
    prelude = struct.pack("!II", len(encoded) + len(payload) + _OVERHEAD_BYTES, len(encoded))
    message = prelude + struct.pack("!I", zlib.crc32(prelude)) + encoded + payload
    return message + struct.pack("!I", zlib.crc32(message))
