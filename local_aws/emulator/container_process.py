"""One container's process, from its start to its end."""

import http.client
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from local_aws.checkout import HOST
from local_aws.emulator import child_process
from local_aws.emulator.container import Container
from local_aws.emulator.container_log import ContainerLog

if TYPE_CHECKING:
    import tempfile

# SageMaker gives a container this long to answer one /ping.
PING_SECONDS: Final = 2.0
POLL_SECONDS: Final = 0.05


class UnhealthyError(RuntimeError):
    """The process ended, or did not answer /ping in time; the reason carries its last lines."""


@dataclass(frozen=True, eq=False)
class ContainerProcess:
    """A started process, the folder with its model, and its log."""

    process: subprocess.Popen[str]
    port: int
    folder: "tempfile.TemporaryDirectory[str]"
    log: ContainerLog
    log_stream_arn: str

    def wait_until_healthy(self, timeout_seconds: float) -> None:
        """Return when /ping answers 200.

        Raises:
            UnhealthyError: the process ended, or the time is over.
        """
        deadline = time.monotonic() + timeout_seconds
        while not self._answers_ping():
            if (code := self.process.poll()) is not None:
                raise UnhealthyError(f"the container ended with code {code}; its last lines: {self.log.last_lines()}")
            if time.monotonic() > deadline:
                late = f"the container did not answer /ping within {timeout_seconds:g} s"
                raise UnhealthyError(f"{late}; its last lines: {self.log.last_lines()}")
            time.sleep(POLL_SECONDS)

    def stop(self) -> None:
        """End the process and remove its folder."""
        child_process.stop(self.process)
        self.folder.cleanup()

    def _answers_ping(self) -> bool:
        connection = http.client.HTTPConnection(HOST, self.port, timeout=PING_SECONDS)
        try:
            connection.request("GET", "/ping")
            return connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def start(
    container: Container,
    folder: "tempfile.TemporaryDirectory[str]",
    *,
    logs: Any,  # noqa: ANN401 -- boto3 makes the class
    names: Mapping[str, str],
) -> ContainerProcess:
    """Start a container's process; `names` holds its log `group`, `stream` and the stream's `arn`."""
    process = child_process.start(container.command, environment=container.environment, folder=Path(folder.name))
    log = ContainerLog(process, logs, group=names["group"], stream=names["stream"])
    return ContainerProcess(process=process, port=container.port, folder=folder, log=log, log_stream_arn=names["arn"])
