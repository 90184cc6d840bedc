"""The built image's own entrypoint as a process: in the image's root and, like in a container, number 1 of its own."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from tests.image.buildah import ImageConfig
from tests.image.failure import StepFailedError
from tests.image.isolation import first_child

HOST = "127.0.0.1"
_SCRIPT = Path(__file__).with_name("container_process.sh")
_OPTIONS = ("--mount", "--propagation=private", "--pid", "--fork", "--kill-child")
_POLL_SECONDS = 0.05


class ContainerProcess:
    """A started container process that is to listen on a loopback port."""

    def __init__(self, outer: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
        self._outer = outer
        self._port = port
        self._log = log

    @property
    def output(self) -> str:
        """Everything the process has written, both streams in order."""
        return self._log.read_text("utf-8", errors="replace")

    def wait_until_healthy(self, seconds: float) -> None:
        """Return when `/ping` answers 200.

        Raises:
            StepFailedError: the process ended before, or the time is over.
        """
        status = self._status_or_healthy(seconds)
        if status is not None:
            raise StepFailedError(f"The container ended with status {status} before it was healthy.", self.output)

    def status_without_health(self, seconds: float) -> int:
        """Return the status the process ends with by itself.

        Raises:
            StepFailedError: it answered `/ping` with 200, or has not ended in time.
        """
        status = self._status_or_healthy(seconds)
        if status is None:
            raise StepFailedError("The container became healthy.", self.output)
        return status

    def post(self, path: str, document: object) -> tuple[int, dict[str, Any]]:
        """Send a JSON document and return status and answer."""
        connection = http.client.HTTPConnection(HOST, self._port, timeout=60)
        with contextlib.closing(connection):
            connection.request("POST", path, json.dumps(document), {"Content-Type": "application/json"})
            response = connection.getresponse()
            answer: dict[str, Any] = json.loads(response.read())
            return response.status, answer

    def terminate(self, seconds: float) -> int:
        """Send SIGTERM to the container's first process and return the status it ends with.

        Raises:
            StepFailedError: it has not ended in time.
        """
        os.kill(first_child(self._outer.pid), signal.SIGTERM)
        try:
            return self._outer.wait(seconds)
        except subprocess.TimeoutExpired:
            raise StepFailedError(f"SIGTERM did not end the container within {seconds:.0f} s.", self.output) from None

    def kill(self) -> None:
        """End whatever is left of it."""
        self._outer.kill()
        self._outer.wait()

    def _status_or_healthy(self, seconds: float) -> int | None:
        """Return the status the process ended with, or None once `/ping` answers 200."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if (status := self._outer.poll()) is not None:
                return status
            if self._ping() == HTTPStatus.OK:
                return None
            time.sleep(_POLL_SECONDS)
        raise StepFailedError(f"The container was neither healthy nor over after {seconds:.0f} s.", self.output)

    def _ping(self) -> int | None:
        connection = http.client.HTTPConnection(HOST, self._port, timeout=2)
        with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("GET", "/ping")
            return connection.getresponse().status
        return None


@contextlib.contextmanager
def container_process(
    root: Path, image: ImageConfig, environment: Mapping[str, str], *, model: Path, user: str, log: Path
) -> Iterator[ContainerProcess]:
    """Start the image's entrypoint with the argument `serve`, as SageMaker does, and end it afterwards.

    Args:
        root: The root file system of a container of the image.
        image: Whose entrypoint, environment and working directory count.
        environment: What the Model adds to the image's environment.
        model: The folder that is seen read-only as /opt/ml/model.
        user: Numbers of user and group, `uid:gid`.
        log: The file that takes what the process writes.
    """
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    loopback = {"SEMIF_HOST": HOST, "SEMIF_PORT": str(port), "HOME": "/root" if user.startswith("0:") else "/"}
    assignments = [f"{name}={value}" for name, value in {**image.environment, **loopback, **environment}.items()]
    inside = (str(root), str(model), user, image.working_directory, *assignments, *image.entrypoint, "serve")
    with log.open("wb") as output:
        outer = subprocess.Popen(("unshare", *_OPTIONS, str(_SCRIPT), *inside), stdout=output, stderr=subprocess.STDOUT)
    process = ContainerProcess(outer, port, log)
    try:
        yield process
    finally:
        process.kill()
