"""One JSON line per request on standard output: ids hashed, sizes, tokens, timings, status; never what was asked.

The same line carries the request's metrics in CloudWatch's embedded metric format:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
"""

import dataclasses
import hashlib
import json
import logging
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TextIO

from semif.metrics import embedded


def hashed(identifier: str) -> str:
    """An identifier as it may be logged: enough to find a request again, not to read it."""
    return hashlib.sha256(identifier.encode()).hexdigest()[:16]


@dataclass(slots=True)
class RequestRecord:
    """What is known of one request; fields that were never reached stay None and out of the log.

    Attributes:
        status: HTTP status of the answer.
        code: Why it is not 200.
        reason: Of a 503, what was missing: `no_place`, `too_late`, `stopping` or `deadline`.
        ids: Hashes of the decisions' ids.
        input_tokens: The shared prefix once and every suffix, whether decoded or resident.
        queue_seconds: From the end of counting tokens to the start of the operation.
        resident: Whether the state was there from an earlier request.
        low_mass, low_margin, ties: Number of decisions flagged so.
        error, trace: Of a 500 the exception's class and its frames, never its message.
        seconds: From the request's headers to its answer.
    """

    status: int = 0
    code: str | None = None
    reason: str | None = None
    retry_after_seconds: int | None = None
    body_bytes: int | None = None
    ids: list[str] | None = None
    shared: bool | None = None
    decisions: int | None = None
    input_tokens: int | None = None
    queue_seconds: float | None = None
    prefill_seconds: float | None = None
    suffix_seconds: float | None = None
    resident: bool | None = None
    low_mass: int | None = None
    low_margin: int | None = None
    ties: int | None = None
    error: str | None = None
    trace: list[str] | None = None
    seconds: float = 0.0
    started: float = field(default_factory=time.perf_counter)


_LOGGED = [each.name for each in dataclasses.fields(RequestRecord) if each.name != "started"]


class RequestLog:
    """Writes the lines."""

    def __init__(self, stream: TextIO = sys.stdout, endpoint_name: str = "unnamed") -> None:
        self._stream = stream
        self._endpoint_name = endpoint_name

    def write(self, event: str, fields: Mapping[str, object]) -> None:
        """Writes one line: the time (Unix seconds), the event's name and its fields."""
        line = {"time": round(time.time(), 3), "event": event, **fields}
        self._stream.write(json.dumps(line, separators=(",", ":")) + "\n")
        self._stream.flush()

    def request(self, record: RequestRecord) -> None:
        """Writes a request's line, its metrics in it."""
        values = ((name, getattr(record, name)) for name in _LOGGED)
        known = {name: _rounded(value) for name, value in values if value is not None}
        self.write("request", known | embedded(record, self._endpoint_name))


class LibraryLog(logging.Handler):
    """What the server's libraries have to say, without what they were given.

    Of a message only the template's first line is kept: arguments, further lines and traces may quote a request.
    """

    def __init__(self, log: RequestLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one line."""
        said = str(record.msg).split("\n", 1)[0][:120]
        self._log.write("library", {"logger": record.name, "level": record.levelname, "said": said})


def _rounded(value: object) -> object:
    return round(value, 6) if isinstance(value, float) else value
