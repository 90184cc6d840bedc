"""The served process: the proven model, the worker that owns it, the ASGI server, and their orderly end."""

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from semif.admission import Admission
from semif.connection import BoundedConnection
from semif.engine_queue import EngineQueue
from semif.health import Health
from semif.invocation import Invocations
from semif.server import Application
from semif.settings import Settings
from semif.start import Loading
from semif.telemetry import LibraryLog, RequestLog
from semif.variables import MOST_BODY_BYTES
from semif.wire import parse_request

EXPIRE_SECONDS = 18.0  # after SIGTERM: what still runs is aborted and answered 503
_BACKLOG = 128  # so many connections are taken at once, before one too many is closed
_GRACE_SECONDS = 22  # then connections are closed; SageMaker kills 30 s after SIGTERM


def server_config(
    application: Callable[[], Application], connection: type[BoundedConnection] = BoundedConnection
) -> uvicorn.Config:
    """How the ASGI server runs the application that the callable gives."""
    return uvicorn.Config(
        application,
        factory=True,
        http=connection,
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # nobody asks who the caller is
        backlog=_BACKLOG,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )


class _Server(uvicorn.Server):
    """uvicorn, but a requested stop is a success: its own handler ends the process by the signal again."""

    def __init__(self, config: uvicorn.Config, admission: Admission, invocations: Invocations) -> None:
        super().__init__(config)
        self._admission = admission
        self._invocations = invocations
        self._loop: asyncio.AbstractEventLoop | None = None
        self.failed = False

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Turns SIGTERM and SIGINT into an orderly end."""
        self._loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self.stop)
        yield

    def stop(self) -> None:
        """Admits nobody any more, finishes what runs for a while, aborts the rest, returns from `run`."""
        self._admission.close()
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_later(EXPIRE_SECONDS, self._invocations.expire)

    def fail(self) -> None:
        """The same, and the process's exit code says that it broke."""
        self.failed = True
        self.stop()


class Serving:
    """Everything between a loading model and the process's exit code."""

    def __init__(self, settings: Settings, loading: Loading) -> None:
        """Waits for the model.

        Raises:
            StartFailure: It is not what the settings say.
        """
        ready = loading.ready.result()
        self._ready = ready
        self._worker = loading.worker
        places = settings.max_in_flight + settings.max_waiting
        readers = MOST_BODY_BYTES // settings.max_body_bytes  # of bodies that are being read, all together
        queue = EngineQueue(settings.deadline_seconds, ready.speed)
        admission = Admission(places, queue, readers=readers)
        self._health = Health(ready.engine, loading.worker)
        invocations = Invocations(
            service=ready.service,
            engine=ready.engine,
            worker=loading.worker,
            admission=admission,
            queue=queue,
            health=self._health,
            parse=lambda body: parse_request(body, settings.max_shared_decisions, ready.control_token),
        )
        self._log = RequestLog(endpoint_name=settings.endpoint_name)
        self._server = _Server(server_config(lambda: application), admission, invocations)
        application = Application(
            invocations=invocations,
            identity=ready.identity,
            health=self._health,
            log=self._log,
            max_body_bytes=settings.max_body_bytes,
            max_shared_decisions=settings.max_shared_decisions,
            broken=self._server.fail,
        )

    def run(self, listener: socket.socket) -> int:
        """Serves until a signal or the engine's end; the process's exit code."""
        ready = self._ready
        speed = round(ready.speed.seconds(1), 6)
        facts = {"resident_states": ready.resident_states, "seconds_per_token": speed}
        logging.basicConfig(handlers=[LibraryLog(self._log)])
        self._log.write("ready", {"model": ready.identity.as_json(), **facts})
        self._server.run([listener])
        ready.engine.abort()  # what outlived the grace
        return 1 if self._server.failed or not self._server.started else 0
