"""One JSON line per request on standard output: ids hashed, sizes, tokens, timings, status; never what was asked.

The same line carries the request's metrics in CloudWatch's embedded metric format:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
"""

import dataclasses
import json
import logging
import re
import sys
import time
from collections.abc import Mapping
from typing import TextIO

from semif.metrics import embedded
from semif.request_record import RequestRecord

_CONSTANT = re.compile(r"[^\n\"'`<({\[]*")
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

    Of a message only the template's first line is kept, up to its first quote or bracket: arguments, further lines,
    traces, and the callback or value that asyncio writes into a template, may quote a request.
    """

    def __init__(self, log: RequestLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one line."""
        constant = _CONSTANT.match(str(record.msg))
        said = constant[0].strip()[:120] if constant else ""
        self._log.write("library", {"logger": record.name, "level": record.levelname, "said": said})


def _rounded(value: object) -> object:
    return round(value, 6) if isinstance(value, float) else value
