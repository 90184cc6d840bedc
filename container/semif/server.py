"""HTTP: `GET /ping` and `POST /invocations`, and which status stands for what."""

import asyncio
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from semif.admission import Admission, Busy
from semif.decision import DecisionRequest, RequestError
from semif.engine import DeadlineExceededError, Engine, EngineError
from semif.identity import Identity
from semif.service import DecisionService
from semif.telemetry import RequestLog, hashed
from semif.wire import answer_body, error_body

RETRY_AFTER_SECONDS = 1
BODY_SECONDS = 10.0  # a body of at most a few hundred kilobytes; who takes longer gives up the place
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

    service: DecisionService
    engine: Engine
    executor: Executor
    identity: Identity
    admission: Admission
    log: RequestLog
    parse: Callable[[bytes], DecisionRequest]
    max_body_bytes: int
    broken: Callable[[], None]

    def asgi(self) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                Route("/ping", self._ping, methods=["GET"]),
                Route("/invocations", self._invocations, methods=["POST"]),
            ],
            exception_handlers={HTTPException: self._http_error},
        )

    async def _ping(self, _request: Request) -> Response:
        return _json(200, b"{}") if self.engine.alive else _json(503, b"{}")

    async def _http_error(self, _request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        names = {404: ("not_found", "no such route"), 405: ("method_not_allowed", "no such method on this route")}
        code, message = names.get(error.status_code, ("bad_request", "the request is malformed"))
        return _json(error.status_code, error_body(RequestError(code, message)), error.headers)

    async def _invocations(self, request: Request) -> Response:
        started = time.perf_counter()
        fields: dict[str, object] = {}
        try:
            response = _json(200, await self._answer(request, fields))
        except RequestError as error:
            fields["code"] = error.code
            response = _json(_STATUS.get(error.code, 400), error_body(error))
        except (Busy, DeadlineExceededError) as error:
            fields["code"] = code = "busy" if isinstance(error, Busy) else "deadline_exceeded"
            refusal = RequestError(code, "no capacity at the moment; send the request again later")
            headers = {"Retry-After": str(RETRY_AFTER_SECONDS)}
            response = _json(503, error_body(refusal, RETRY_AFTER_SECONDS), headers)
        except ClientDisconnect:
            fields["code"] = "client_went_away"
            response = Response(status_code=400)
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets fixed text and the log no payload
            fields |= {"code": "internal", "error": type(error).__name__, "trace": _trace(error)}
            response = _json(500, error_body(_FIXED_500))
            if isinstance(error, EngineError):
                self.broken()
        seconds = round(time.perf_counter() - started, 6)
        self.log.write("request", {"status": response.status_code, **fields, "seconds": seconds})
        return response

    async def _answer(self, request: Request, fields: dict[str, object]) -> bytes:
        fields["body_bytes"] = self._declared_length(request)
        with self.admission.place():
            body = await self._body(request)
            loop = asyncio.get_running_loop()
            asked = self.parse(body)
            fields |= {"ids": [hashed(each.id) for each in asked.decisions], "shared": asked.shared}
            prepared = await loop.run_in_executor(None, self.service.prepare, asked)
            fields["input_tokens"] = prepared.input_tokens
            # Shielded: the engine cannot be left in the middle, and the place is taken until it is done.
            work = loop.run_in_executor(
                self.executor, lambda: self.service.decide(prepared, self.engine, deadline=None)
            )
            results, timing = await asyncio.shield(work)
            fields |= {"prefill_seconds": timing.prefill_seconds, "suffix_seconds": timing.suffix_forward_seconds}
            return answer_body(results, self.identity, timing if asked.shared else None)

    def _declared_length(self, request: Request) -> int:
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            raise RequestError("wrong_content_type", "Content-Type must be application/json", "Content-Type")
        declared = request.headers.get("content-length", "")
        if not declared.isascii() or not declared.isdigit() or int(declared[:20]) == 0:
            message = f"Content-Length must be declared, 1 to {self.max_body_bytes}"
            raise RequestError("no_content_length", message, "Content-Length")
        if int(declared[:20]) > self.max_body_bytes:
            message = f"the body has {int(declared[:20])} bytes; at most {self.max_body_bytes} are allowed"
            raise RequestError("body_too_large", message, "Content-Length")
        return int(declared)

    async def _body(self, request: Request) -> bytes:
        body = bytearray()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > self.max_body_bytes:
                        raise RequestError("body_too_large", "the body is longer than allowed", "Content-Length")
        except TimeoutError:
            raise RequestError("body_incomplete", f"the body did not arrive within {BODY_SECONDS:.0f} s") from None
        return bytes(body)


def _json(status: int, body: bytes, headers: Any = None) -> Response:  # noqa: ANN401 - any mapping of headers
    return Response(body, status, headers, media_type="application/json")


def _trace(error: Exception) -> list[str]:
    # Frames only: an exception's message may quote what a caller sent.
    return [
        f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)
    ]
