"""The real ASGI application around the toy engine, and the requests that are sent to it."""

import asyncio
import contextlib
import io
import json
from collections.abc import AsyncIterator, MutableMapping
from typing import Any

import httpx

from semif.admission import Admission
from semif.decision import Thresholds
from semif.engine_queue import EngineQueue
from semif.health import Health
from semif.identity import Gguf, Identity, LlamaCpp
from semif.invocation import Invocations
from semif.prompt import prove_template
from semif.server import Application
from semif.service import DecisionService, TokenLimits
from semif.speed import MeasuredSpeed
from semif.telemetry import RequestLog
from semif.tokens import PromptTokenizer, control_token_pattern
from semif.wire import parse_request
from semif.worker import EngineWorker
from tests.contract.toy import ToyEngine, ToyVocabulary

TEMPLATE = (
    "{% for message in messages %}<|t|>{{ message.role }}: {{ message.content }}<|e|>\n{% endfor %}<|t|>assistant: "
)
IDENTITY = Identity(
    name="toy",
    gguf=Gguf("toy.gguf", 1, "0" * 64),
    template_sha256="1" * 64,
    prompt_version="direct-options-v1",
    tokenizer=None,
    llama_cpp=LlamaCpp("toy", "2" * 64),
    backend="cpu",
    device=None,
    n_gpu_layers=0,
    layers_offloaded=0,
    layers_total=1,
    threads=1,
    context_tokens=1024,
    serving_path="canonical",
    image_digest="sha256:3",
    adapter_version="0",
)


class Served:
    """One application with its engine, its log and what it was told about a broken engine."""

    def __init__(
        self,
        *,
        max_tokens: int = 1000,
        max_request_tokens: int = 4000,
        places: int = 1,
        deadline_seconds: float = 50.0,
        seconds_per_token: float = 1e-6,
    ) -> None:
        """Limits in tokens; `places` is how many requests are admitted; the speed is what the estimates start from."""
        self.engine = ToyEngine()
        self.speed = MeasuredSpeed(1000, 1000 * seconds_per_token)
        self.queue = EngineQueue(deadline_seconds, self.speed)
        self.admission = Admission(places, self.queue)
        self.broken = False
        self.stream = io.StringIO()
        self.frame = prove_template(TEMPLATE, bos_token="", eos_token="")
        self.tokenizer = PromptTokenizer(ToyVocabulary(), self.frame)
        pattern = control_token_pattern(ToyVocabulary())
        self.worker = EngineWorker()
        self.health = Health(self.engine, self.worker)
        limits, thresholds = TokenLimits(max_tokens, max_request_tokens), Thresholds(0.5, 0.1)
        self.invocations = Invocations(
            service=DecisionService(self.frame, self.tokenizer, limits, thresholds),
            engine=self.engine,
            worker=self.worker,
            admission=self.admission,
            queue=self.queue,
            health=self.health,
            parse=lambda body: parse_request(body, 8, pattern),
        )
        self.app = Application(
            invocations=self.invocations,
            health=self.health,
            identity=IDENTITY,
            log=RequestLog(self.stream, "toy-endpoint"),
            max_body_bytes=262144,
            max_shared_decisions=8,
            broken=self._break,
        )

    @contextlib.asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        """An HTTP client of the application."""
        transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://container") as client:
            yield client

    def post(self, body: object, **headers: str) -> httpx.Response:
        """Sends one request to `/invocations`: bytes as they are, anything else as JSON."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.request("POST", "/invocations", content, **({"Content-Type": "application/json"} | headers))

    def request(self, method: str, path: str, content: bytes = b"", **headers: str) -> httpx.Response:
        """Sends one request."""

        async def send() -> httpx.Response:
            async with self.client() as client:
                return await client.request(method, path, content=content, headers=headers)

        return asyncio.run(send())

    async def call(self, body: object, left: asyncio.Event) -> int:
        """Sends one request as an ASGI server does; the caller goes away when `left` is set. Gives the status."""
        content = json.dumps(body).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
        scope = {"type": "http", "method": "POST", "path": "/invocations", "headers": headers, "query_string": b""}
        messages: list[dict[str, Any]] = [{"type": "http.request", "body": content, "more_body": False}]
        statuses: list[int] = []

        async def receive() -> dict[str, Any]:
            if messages:
                return messages.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        await self.app(scope, receive, send)
        return statuses[0]

    def lines(self) -> list[dict[str, Any]]:
        """What was logged."""
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]

    def _break(self) -> None:
        self.broken = True


def decision(**changes: Any) -> dict[str, Any]:
    """A small valid decision with changes; a value of `...` takes the field away."""
    options = [{"id": "yes", "description": "It does."}, {"id": "no", "description": "It does not."}]
    body = {"id": "d1", "state": "A short state.", "question": "Does it hold?", "options": options} | changes
    return {key: value for key, value in body.items() if value is not ...}
