"""The decision container in memory, for every environment that `ops bench` is told to ask."""

import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from decision_client.errors import EndpointNotFoundError
from decision_client.transport import Reply
from ops.__main__ import app
from ops.evidence import bench_target
from ops.services import Services
from tests.contract.application import Served
from tests.unit.decision_client.listening import Listening
from tests.unit.evidence.task_rows import defined, native, write

CANARY = "canary-90aa"
ONE_INSTANCE: list[dict[str, Any]] = [{"CurrentInstanceCount": 1, "DesiredInstanceCount": 1}]


class Container:
    """The real application around an engine without weights, asked over HTTP or as SageMaker's transport."""

    def __init__(self) -> None:
        """Nothing was asked."""
        self.served = Served()
        self.bodies: list[bytes] = []
        self.timeouts: list[float] = []
        self.gone_after: int | None = None
        self._lock = threading.Lock()

    def over_http(self, handler: BaseHTTPRequestHandler, at: Listening) -> None:
        """Answer what was received last; tests that use this ask one after the other."""
        reply = self.send(at.received[-1].body, 1)
        handler.send_response(reply.status)
        handler.send_header("Content-Length", str(len(reply.body)))
        handler.end_headers()
        handler.wfile.write(reply.body)

    def send(self, body: bytes, timeout_seconds: float) -> Reply:
        """Answer."""
        if self.gone_after == len(self.bodies):
            raise EndpointNotFoundError("there is no such endpoint", status=404)
        self.bodies.append(body)
        self.timeouts.append(timeout_seconds)
        with self._lock:  # the application is made for one event loop
            response = self.served.post(body)
        return Reply(response.status_code, response.content)


class FakeSageMaker:
    """Describes an endpoint, or refuses to."""

    def __init__(self, variants: list[dict[str, Any]] | Exception) -> None:
        """What it describes."""
        self._variants = variants

    def describe_endpoint(self, *, EndpointName: str) -> dict[str, Any]:  # noqa: N803 - boto3's spelling
        """Describe it."""
        assert EndpointName == "semif-local-decision"
        if isinstance(self._variants, Exception):
            raise self._variants
        return {"ProductionVariants": self._variants}


def serve_everywhere(monkeypatch: pytest.MonkeyPatch) -> Container:
    """Return a container that every environment's transport leads to, on one instance."""
    made = Container()
    monkeypatch.setattr(bench_target, "SageMakerTransport", lambda _name, **_: made)
    monkeypatch.setattr(Services, "of_region", lambda _region: SimpleNamespace(sagemaker=FakeSageMaker(ONE_INSTANCE)))
    return made


def three_rows(folder: Path) -> Path:
    """Write a task file of three rows, two of them of one state."""
    listed = [defined(), defined(id="t2", gold="none"), native(id="t3", state=CANARY, family="holding")]
    return write(folder / "own.jsonl", *listed)


def bench(*arguments: object) -> Result:
    """Run the command."""
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])
