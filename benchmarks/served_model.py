"""The real container process: `python -m semif serve` on loopback, asked over HTTP."""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from benchmarks.checkout import CONTAINER, DECISION_PYTHON, LLAMA_LIBRARIES, ROOT
from benchmarks.loaded_model import LoadedModel
from benchmarks.stopwatch import Elapsed, stopwatch
from benchmarks.workload import Body

HOST = "127.0.0.1"
_START_SECONDS = 120.0
_POLL_SECONDS = 0.005
_STOP_SECONDS = 30.0
_ANSWER_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back and what it took: CPU seconds of the container, wall seconds of the caller."""

    status: int
    document: Body
    elapsed: Elapsed


class ServedModel:
    """A running container process that is asked over loopback."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
        self._process = process
        self._log = log
        self.port = port

    def ask(self, body: Body) -> Answer:
        """Sends one request and waits for its answer.

        Raises:
            RuntimeError: The answer is not 200; a measurement of refusals would measure nothing.
        """
        raw = json.dumps(body, ensure_ascii=False).encode()
        # An open connection that was used before, as a load balancer's is; the container closes one that stays idle.
        connection = http.client.HTTPConnection(HOST, self.port, timeout=_ANSWER_SECONDS)
        with contextlib.closing(connection):
            connection.request("GET", "/ping")
            connection.getresponse().read()
            with stopwatch(self._process.pid) as elapsed:
                connection.request("POST", "/invocations", raw, {"Content-Type": "application/json"})
                response = connection.getresponse()
                answered = response.read()
        answer = Answer(response.status, json.loads(answered), elapsed)
        if answer.status != HTTPStatus.OK:
            raise RuntimeError(f"the container answered {answer.status}: {answer.document.get('error')}")
        return answer

    def wait_until_healthy(self) -> None:
        """Returns when `/ping` answers 200.

        Raises:
            RuntimeError: The process ended before, or the time is over; what it wrote is named.
        """
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            if healthy(self.port):
                return
            time.sleep(_POLL_SECONDS)
        raise RuntimeError(f"the container did not become healthy: {self._log.read_text()[-2000:]}")

    def stop(self) -> int:
        """Sends SIGTERM and returns the exit code; ends the process for good if it does not go.

        Raises:
            subprocess.TimeoutExpired: It had to be killed.
        """
        self._process.terminate()
        try:
            return self._process.wait(_STOP_SECONDS)
        finally:
            self._process.kill()
            self._process.wait()


def healthy(port: int) -> bool:
    """Whether `/ping` answers 200 now."""
    connection = http.client.HTTPConnection(HOST, port, timeout=2)
    with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
        connection.request("GET", "/ping")
        return connection.getresponse().status == HTTPStatus.OK
    return False


@contextlib.contextmanager
def served(model: LoadedModel, environment: Mapping[str, str], log: Path) -> Iterator[ServedModel]:
    """Starts the container on a model; the process is gone afterwards.

    Args:
        model: Its file and pins become the environment.
        environment: More `SEMIF_*` variables: threads and limits.
        log: Takes what the process writes.
    """
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    variables = {
        "PATH": os.environ.get("PATH", ""),
        "PYTHONPATH": str(CONTAINER),
        "LD_LIBRARY_PATH": str(LLAMA_LIBRARIES),
        "SEMIF_LLAMA_DIR": str(LLAMA_LIBRARIES),
        "SEMIF_MODEL_DIR": str(model.file.path.parent),
        "SEMIF_MODEL_FILE": model.file.path.name,
        "SEMIF_MODEL_NAME": model.file.name,
        "SEMIF_GGUF_BYTES": str(model.file.bytes),
        "SEMIF_GGUF_SHA256": model.file.sha256,
        "SEMIF_KNOWN_PROMPT_SHA256": model.known_prompt_sha256(),
        "SEMIF_IMAGE_DIGEST": "none: run from the checkout",
        "SEMIF_HOST": HOST,
        "SEMIF_PORT": str(port),
        **environment,
    }
    command = (DECISION_PYTHON, "-m", "semif", "serve")
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=output, stderr=subprocess.STDOUT)
    model_process = ServedModel(process, port, log)
    try:
        yield model_process
    finally:
        model_process.stop()
