"""What stands before moto, which evaluates no policies of ours: every call is authorized first."""

import io
import json
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from local_aws.emulator import required_permissions
from local_aws.emulator.request_authorization import Refusal, SignedRequest, refusal

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def gated(application: Application) -> Application:
    """Return a WSGI application that passes on what its caller may do, and answers the rest with AWS's refusal."""

    def application_behind_gate(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        headers = _headers(environ)
        needed = required_permissions.of_control_plane(
            headers.get("authorization", ""), headers.get("x-amz-target", ""), body
        )
        request = SignedRequest(environ["REQUEST_METHOD"], environ["REQUEST_URI"], headers, body)
        if refused := refusal(request, needed):
            return _refuse(refused, start_response)
        return application(environ, start_response)

    return application_behind_gate


def _headers(environ: dict[str, Any]) -> dict[str, str]:
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
        for name, value in environ.items()
        if name.startswith("HTTP_")
    }
    for name in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if value := environ.get(name):
            headers[name.replace("_", "-").lower()] = str(value)
    return headers


def _refuse(refused: Refusal, start_response: Callable[..., Any]) -> Iterable[bytes]:
    body = json.dumps({"__type": refused.code, "message": refused.message}).encode()
    status = HTTPStatus(refused.status)
    headers = [("Content-Type", "application/x-amz-json-1.1"), ("Content-Length", str(len(body)))]
    start_response(f"{status.value} {status.phrase}", headers)
    return [body]
