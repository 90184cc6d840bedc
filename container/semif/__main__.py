"""`python -m semif [serve]` runs the container; `python -m semif self-test` proves an image."""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from semif.admission import Admission
from semif.decision import StartFailure
from semif.golden import run_golden_decision
from semif.llama.abi import AbiError
from semif.llama.binding import Library
from semif.server import Application
from semif.settings import Settings, read_settings
from semif.start import prove_and_load
from semif.telemetry import RequestLog

_GRACE_SECONDS = 25  # SageMaker kills 30 s after SIGTERM


class _Server(uvicorn.Server):
    """uvicorn, but a requested stop is a success: its own handler ends the process by the signal again."""

    def __init__(self, config: uvicorn.Config, admission: Admission) -> None:
        super().__init__(config)
        self._admission = admission
        self.failed = False

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Turns SIGTERM and SIGINT into an orderly end."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stop())
        yield

    def stop(self) -> None:
        """Admits nobody any more, finishes what runs, returns from `run`."""
        self._admission.close()
        self.should_exit = True

    def fail(self) -> None:
        """The same, and the process's exit code says that it broke."""
        self.failed = True
        self.stop()


def serve(settings: Settings) -> int:
    """Proves the model, serves it, and returns the process's exit code.

    Raises:
        StartFailure: The model, library or machine is not what the settings say.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # a stop during the start is no failure either
    listener = _listener(settings.host, settings.port)
    executor = ThreadPoolExecutor(1, "semif-engine")
    ready = prove_and_load(settings, executor)
    admission = Admission(settings.max_in_flight)
    log = RequestLog()
    config = uvicorn.Config(
        lambda: application,
        factory=True,
        http="httptools",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    server = _Server(config, admission)
    application = Application(
        service=ready.service,
        engine=ready.engine,
        executor=executor,
        identity=ready.identity,
        admission=admission,
        log=log,
        parse=ready.parse,
        max_body_bytes=settings.max_body_bytes,
        broken=server.fail,
    ).asgi()
    log.write("ready", {"model": ready.identity.as_json()})
    server.run([listener])
    executor.shutdown(wait=False, cancel_futures=True)
    ready.engine.abort()  # what outlived the grace would keep the process from ending
    return 1 if server.failed or not server.started else 0


def _listener(host: str, port: int) -> socket.socket:
    # Bound before the model loads, so that a taken port is known at once; it listens when the model can decide.
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        raise StartFailure(f"{host}:{port} cannot be listened on: {error.strerror}") from error
    return listener


def self_test(llama_dir: Path) -> int:
    """Loads the library and scores the golden decision; proves an image without a model.

    Raises:
        StartFailure: The library is unknown or computes something else.
    """
    try:
        library = Library(llama_dir)
    except AbiError as error:
        raise StartFailure(str(error)) from error
    logits = run_golden_decision(library)
    sys.stdout.write(f"self-test passed on {library.cpu_variant()}, libllama {library.version}: {logits}\n")
    return 0


def main(arguments: list[str]) -> int:
    """Runs one command; a failed start is one sentence on standard error."""
    try:
        if arguments in ([], ["serve"]):
            return serve(read_settings(os.environ))
        if arguments == ["self-test"]:
            return self_test(Path(os.environ.get("SEMIF_LLAMA_DIR", "/opt/llama.cpp/bin")))
    except StartFailure as failure:
        sys.stderr.write(f"semif: {failure}.\n")
        return 1
    sys.stderr.write("usage: python -m semif [serve | self-test]\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
