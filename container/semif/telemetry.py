"""One JSON line per request on standard output: ids hashed, sizes, tokens, timings, status; never what was asked."""

import hashlib
import json
import sys
import time
from collections.abc import Mapping
from typing import TextIO


def hashed(identifier: str) -> str:
    """An identifier as it may be logged: enough to find a request again, not to read it."""
    return hashlib.sha256(identifier.encode()).hexdigest()[:16]


class RequestLog:
    """Writes the lines."""

    def __init__(self, stream: TextIO = sys.stdout) -> None:
        self._stream = stream

    def write(self, event: str, fields: Mapping[str, object]) -> None:
        """Writes one line: the time (Unix seconds), the event's name and its fields."""
        line = {"time": round(time.time(), 3), "event": event, **fields}
        self._stream.write(json.dumps(line, separators=(",", ":")) + "\n")
        self._stream.flush()
