"""HTTP: the routes, and which status stands for what."""

import asyncio
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from semif.admission import Busy
from semif.decision import RequestError
from semif.engine import DeadlineExceededError, EngineError
from semif.health import Health
from semif.identity import Identity
from semif.invocation import CallerGone, Invocations
from semif.telemetry import RequestLog, RequestRecord
from semif.wire import answer_body, declared_length, error_body, openapi_body

BODY_SECONDS = 10.0  # a body of at most a few hundred kilobytes; who takes longer gives up the place
_AFTER_DEADLINE_SECONDS = 5
_FIXED_500 = RequestError("internal", "internal error")
_STATUS = {
    "body_too_large": 413,
    "wrong_content_type": 415,
    "not_found": 404,
    "method_not_allowed": 405,
    "internal": 500,
}


@dataclass(frozen=True, slots=True)
class Application:
    """Everything the routes need; `broken` is called when the engine can no longer be trusted."""

    invocations: Invocations
    identity: Identity
    health: Health
    log: RequestLog
    max_body_bytes: int
    max_shared_decisions: int
    broken: Callable[[], None]

    def asgi(self) -> Starlette:
        """The ASGI application."""
        application = Starlette(
            routes=[
                Route("/ping", self._ping, methods=["GET"]),
                Route("/invocations", self._invocations, methods=["POST"]),
                Route("/openapi.json", self._openapi, methods=["GET"]),
            ],
            exception_handlers={HTTPException: self._http_error},
        )
        application.router.redirect_slashes = False  # another path is another route: 404, not a redirect
        return application

    async def _ping(self, _request: Request) -> Response:
        problem = self.health.problem()
        if problem is None:
            return _json(200, b"{}")
        self.log.write("unhealthy", {"reason": problem})
        return _json(503, b"{}")

    async def _openapi(self, _request: Request) -> Response:
        return _json(200, openapi_body(self.max_shared_decisions))

    async def _http_error(self, _request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        names = {404: ("not_found", "no such route"), 405: ("method_not_allowed", "no such method on this route")}
        code, message = names.get(error.status_code, ("bad_request", "the request is malformed"))
        return _json(error.status_code, error_body(RequestError(code, message)), error.headers)

    async def _invocations(self, request: Request) -> Response:
        record = RequestRecord()
        try:
            response = _json(200, await self._answer(request, record))
        except RequestError as error:
            record.code = error.code
            response = _json(_STATUS.get(error.code, 400), error_body(error))
        except Busy as error:
            response = _later(record, "busy", error.reason, error.retry_after_seconds)
        except DeadlineExceededError:
            response = _later(record, "deadline_exceeded", "deadline", _AFTER_DEADLINE_SECONDS)
        except (ClientDisconnect, CallerGone):
            record.code = "client_went_away"
            response = Response(status_code=499)  # nobody reads it; the log does
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets fixed text and the log no payload
            record.code, record.error, record.trace = "internal", type(error).__name__, _trace(error)
            response = _json(500, error_body(_FIXED_500))
            if isinstance(error, EngineError):
                self.broken()
        if response.status_code != HTTPStatus.OK and "expect" in request.headers:
            # Whoever was not told to continue may or may not send the body: what comes next is not to be guessed.
            response.headers["Connection"] = "close"
        record.status = response.status_code
        record.seconds = time.perf_counter() - record.started
        self.log.request(record)
        return response

    async def _answer(self, request: Request, record: RequestRecord) -> bytes:
        record.body_bytes = declared = declared_length(request.headers, self.max_body_bytes)
        answered = await self.invocations.answer(lambda: self._body(request, declared), lambda: _gone(request), record)
        return answer_body(answered.results, self.identity, answered.timing if record.shared else None)

    async def _body(self, request: Request, declared: int) -> bytes:
        body = bytearray()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > self.max_body_bytes:
                        raise RequestError("body_too_large", "the body is longer than allowed", "Content-Length")
        except TimeoutError:
            raise RequestError("body_incomplete", f"the body did not arrive within {BODY_SECONDS:.0f} s") from None
        if len(body) != declared:  # a server that skips an upgrade's body, for one
            raise RequestError("body_incomplete", f"the body has {len(body)} bytes where {declared} were declared")
        return bytes(body)


def _json(status: int, body: bytes, headers: Any = None) -> Response:  # noqa: ANN401 - any mapping of headers
    return Response(body, status, headers, media_type="application/json")


def _trace(error: Exception) -> list[str]:
    # Frames only: an exception's message may quote what a caller sent.
    return [
        f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)
    ]


def _later(record: RequestRecord, code: str, reason: str, seconds: int) -> Response:
    record.code, record.reason, record.retry_after_seconds = code, reason, seconds
    refusal = RequestError(code, "no capacity at the moment; send the request again later")
    return _json(503, error_body(refusal, seconds), {"Retry-After": str(seconds)})


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass  # what follows a complete body is nothing else, but an ASGI server may say so more than once
