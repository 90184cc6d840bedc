"""HTTP: the routes, and which status stands for what."""

import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus

from semif.asgi import Disconnected, Receive, Response, Scope, Send, body_of, disconnected, headers_of
from semif.busy import Busy
from semif.decision import RequestError
from semif.engine import DeadlineExceededError, EngineError
from semif.health import Health
from semif.identity import Identity
from semif.invocation import CallerGone, Invocations
from semif.request_record import RequestRecord
from semif.telemetry import RequestLog
from semif.wire import answer_body, declared_length, error_body, openapi_body

BODY_SECONDS, BODY_BYTES_PER_SECOND = 2.0, 65_536  # a body has the seconds, and as many more as its length takes so
_AFTER_DEADLINE_SECONDS = 5
_FIXED_500 = RequestError("internal", "internal error")
_STATUS = {
    "body_too_large": 413,
    "wrong_content_type": 415,
    "not_found": 404,
    "method_not_allowed": 405,
    "internal": 500,
}
_METHODS = {"/ping": ("GET", "HEAD"), "/openapi.json": ("GET", "HEAD"), "/invocations": ("POST",)}


@dataclass(frozen=True, slots=True)
class Application:
    """The ASGI application; `broken` is called when the engine can no longer be trusted."""

    invocations: Invocations
    identity: Identity
    health: Health
    log: RequestLog
    max_body_bytes: int
    max_shared_decisions: int
    broken: Callable[[], None]
    _model: Mapping[str, object] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_model", self.identity.as_json())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request; what is logged of it is written when its answer is on its way."""
        path, headers = scope["path"], headers_of(scope)
        methods = _METHODS.get(path)
        if methods is None:
            response = _refusal(RequestError("not_found", "no such route"))
        elif scope["method"] not in methods:
            refused = _refusal(RequestError("method_not_allowed", "no such method on this route"))
            response = replace(refused, headers=((b"allow", ", ".join(methods).encode()),))
        elif path == "/invocations":
            await self._invocations(headers, receive, send)
            return
        elif path == "/ping":
            response = self._ping()
        else:
            response = Response(200, openapi_body(self.max_shared_decisions))
        await _unread(response, headers).send(send)

    def _ping(self) -> Response:
        if problem := self.health.problem():
            self.log.write("unhealthy", {"reason": problem})
        return Response(503 if problem else 200, b"{}")

    async def _invocations(self, headers: Mapping[str, str], receive: Receive, send: Send) -> None:
        record = RequestRecord()
        try:
            response = Response(200, await self._answer(headers, receive, record))
        except RequestError as error:
            record.code = error.code
            response = _refusal(error)
        except Busy as error:
            response = _later(record, "busy", error.reason, error.retry_after_seconds)
        except DeadlineExceededError:
            response = _later(record, "deadline_exceeded", "deadline", _AFTER_DEADLINE_SECONDS)
        except (Disconnected, CallerGone):
            record.code = "client_went_away"
            response = Response(499, b"")  # nobody reads it; the log does
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets fixed text and the log no payload
            record.code, record.error, record.trace = "internal", type(error).__name__, _trace(error)
            response = _refusal(_FIXED_500)
            if isinstance(error, EngineError):
                self.broken()
        if response.status != HTTPStatus.OK:
            response = _unread(response, headers)
        record.status = response.status
        record.seconds = time.perf_counter() - record.started
        try:
            await response.send(send)
        finally:
            self.log.request(record)

    async def _answer(self, headers: Mapping[str, str], receive: Receive, record: RequestRecord) -> bytes:
        record.body_bytes = declared = declared_length(headers, self.max_body_bytes)
        answered = await self.invocations.answer(
            lambda: self._body(receive, declared), lambda: disconnected(receive), record
        )
        return answer_body(answered.results, self._model, answered.timing if record.shared else None)

    async def _body(self, receive: Receive, declared: int) -> bytes:
        seconds = BODY_SECONDS + declared / BODY_BYTES_PER_SECOND
        try:
            body = await body_of(receive, at_most=self.max_body_bytes, seconds=seconds)
        except TimeoutError:
            raise RequestError("body_incomplete", f"the body did not arrive within {seconds:.1f} s") from None
        if len(body) > self.max_body_bytes:
            raise RequestError("body_too_large", "the body is longer than allowed", "Content-Length")
        if len(body) != declared:  # a server that skips an upgrade's body, for one
            raise RequestError("body_incomplete", f"the body has {len(body)} bytes where {declared} were declared")
        return body


def _refusal(error: RequestError) -> Response:
    return Response(_STATUS.get(error.code, 400), error_body(error))


def _unread(response: Response, headers: Mapping[str, str]) -> Response:
    # Whoever was not told to continue may or may not send the body: what comes next is not to be guessed.
    close = ((b"connection", b"close"),) if "expect" in headers else ()
    return replace(response, headers=(*response.headers, *close))


def _later(record: RequestRecord, code: str, reason: str, seconds: int) -> Response:
    record.code, record.reason, record.retry_after_seconds = code, reason, seconds
    refusal = RequestError(code, "no capacity at the moment; send the request again later")
    return Response(503, error_body(refusal, seconds), ((b"retry-after", b"%d" % seconds),))


def _trace(error: Exception) -> list[str]:
    # Frames only: an exception's message may quote what a caller sent.
    return [
        f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)
    ]
