"""The output of a container: kept for the reason of a failure, and forwarded to CloudWatch Logs."""

import contextlib
import logging
import queue
import subprocess
import threading
import time
from collections import deque
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

KEPT_LINES: Final = 40
FLUSH_SECONDS: Final = 0.5
_LOGGER: Final = logging.getLogger(__name__)


class ContainerLog:
    """Reads a process's output until it ends; batches go to one log stream with the execution role's permissions."""

    def __init__(self, process: subprocess.Popen[str], logs: Any, *, group: str, stream: str) -> None:  # noqa: ANN401 -- boto3 makes the class
        self._logs, self._group, self._stream = logs, group, stream
        self._tail: deque[str] = deque(maxlen=KEPT_LINES)
        self._pending: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, args=(process,), daemon=True)
        self._reader.start()
        threading.Thread(target=self._forward, daemon=True).start()

    def last_lines(self, count: int = 5) -> str:
        """Return the last lines in one line; call it after the process has ended to have them all."""
        self._reader.join(timeout=1)
        return " | ".join(list(self._tail)[-count:])

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        with process.stdout:
            for line in process.stdout:
                if text := line.rstrip():
                    self._tail.append(text)
                    self._pending.put({"timestamp": int(time.time() * 1000), "message": text})
        self._pending.put(None)

    def _forward(self) -> None:
        try:
            self._create_stream()
            while batch := self._next_batch():
                self._logs.put_log_events(logGroupName=self._group, logStreamName=self._stream, logEvents=batch)
        except (BotoCoreError, ClientError) as error:
            # SageMaker does not fail an endpoint whose role may not log either.
            _LOGGER.warning("log group %s gets nothing: %s", self._group, error)

    def _create_stream(self) -> None:
        with contextlib.suppress(self._logs.exceptions.ResourceAlreadyExistsException):
            self._logs.create_log_group(logGroupName=self._group)
        self._logs.create_log_stream(logGroupName=self._group, logStreamName=self._stream)

    def _next_batch(self) -> list[dict[str, Any]]:
        first = self._pending.get()
        if first is None:
            return []
        time.sleep(FLUSH_SECONDS)
        batch = [first]
        while not self._pending.empty():
            event = self._pending.get()
            if event is None:
                self._pending.put(None)
                break
            batch.append(event)
        return batch
