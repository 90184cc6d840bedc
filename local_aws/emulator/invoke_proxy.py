"""The runtime endpoint: InvokeEndpoint and InvokeEndpointWithResponseStream, answered by the containers' processes."""

import http.client
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, ClassVar, Final

from local_aws.checkout import HOST
from local_aws.emulator import event_stream, invoke_errors, required_permissions
from local_aws.emulator.container_process import ContainerProcess
from local_aws.emulator.invoke_errors import InvokeError
from local_aws.emulator.required_permissions import Permission

if TYPE_CHECKING:
    from local_aws.emulator.endpoint_fleet import EndpointFleet

INVOKE_SECONDS: Final = 60.0
_PATH: Final = re.compile(r"/endpoints/(?P<name>[A-Za-z0-9-]+)/invocations(?P<stream>-response-stream)?")
_SIGNATURE: Final = re.compile(r"AWS4-HMAC-SHA256 Credential=[^/]+/\d{8}/[a-z0-9-]+/sagemaker/aws4_request,")


class InvokeProxy(BaseHTTPRequestHandler):
    """Serves one request; `fleet` says which process answers, `authorize` raises InvokeError for who may not ask."""

    fleet: "EndpointFleet"
    authorize: ClassVar[Callable[["InvokeProxy", bytes, list[Permission]], None]]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Invoke the endpoint the path names."""
        try:
            self._invoke()
        except InvokeError as error:
            # Whatever of the request was not read would be taken for the next one.
            self.close_connection = True
            self._send(error.status, "application/json", error.body(), {"x-amzn-ErrorType": error.code})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base class's own name
        """Say nothing: requests are the container's to log."""

    def _invoke(self) -> None:
        if not _SIGNATURE.match(self.headers.get("Authorization", "")):
            raise invoke_errors.unsigned()
        path = _PATH.fullmatch(self.path)
        if not path:
            raise invoke_errors.unknown_endpoint(self.path)
        size = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(size)
        if size > invoke_errors.MAX_BODY_BYTES:
            raise invoke_errors.body_too_large(size)
        self.authorize(body, required_permissions.of_invocation(path["name"], streamed=bool(path["stream"])))
        process = self.fleet.in_service(path["name"])
        if not process:
            raise invoke_errors.unknown_endpoint(path["name"])
        self.deadline = time.monotonic() + INVOKE_SECONDS
        container = http.client.HTTPConnection(HOST, process.port, timeout=INVOKE_SECONDS)
        with closing(container), self._ask(path["name"], process, container, body) as answer:
            content_type = answer.getheader("Content-Type", "application/octet-stream")
            if path["stream"]:
                self._send_stream(answer, content_type)
                return
            whole = self._whole(path["name"], process, answer)
        variant = {"x-Amzn-Invoked-Production-Variant": process.log_stream_arn.rsplit(":", 1)[-1].split("/")[0]}
        self._send(HTTPStatus.OK, content_type, whole, variant)

    def _ask(
        self, name: str, process: ContainerProcess, connection: http.client.HTTPConnection, body: bytes
    ) -> http.client.HTTPResponse:
        passed = ("Content-Type", "Accept", "X-Amzn-SageMaker-Custom-Attributes")
        headers = {header: self.headers[header] for header in passed if header in self.headers}
        try:
            connection.request("POST", "/invocations", body, headers)
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise invoke_errors.model_error(name, 0, _no_answer(error), process.log_stream_arn) from error
        if answer.status >= HTTPStatus.BAD_REQUEST:
            with answer:
                original = answer.read().decode(errors="replace")
            raise invoke_errors.model_error(name, answer.status, original, process.log_stream_arn)
        return answer

    def _whole(self, name: str, process: ContainerProcess, answer: http.client.HTTPResponse) -> bytes:
        try:
            return b"".join(self._parts(answer))
        except (OSError, http.client.HTTPException) as error:
            raise invoke_errors.model_error(name, 0, _no_answer(error), process.log_stream_arn) from error

    def _parts(self, answer: http.client.HTTPResponse) -> Iterator[bytes]:
        while part := answer.read1(65536):
            if time.monotonic() > self.deadline:
                raise TimeoutError
            yield part

    def _send_stream(self, answer: http.client.HTTPResponse, content_type: str) -> None:
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "application/vnd.amazon.eventstream")
        self.send_header("X-Amzn-SageMaker-Content-Type", content_type)
        # Chunks, as AWS sends them: of a body without them botocore waits for 64 KiB before it passes any on.
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for part in self._parts(answer):
                self._send_chunk(event_stream.payload_part(part))
        except (TimeoutError, http.client.HTTPException) as error:
            message = json.dumps({"Message": _no_answer(error), "ErrorCode": "ModelInvocationTimeExceeded"}).encode()
            self._send_chunk(event_stream.stream_error("ModelStreamError", message))
        self._send_chunk(b"")

    def _send_chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(content), content))

    def _send(self, status: int, content_type: str, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": content_type, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _no_answer(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"The container did not answer within {INVOKE_SECONDS:g} s."
    return "The container closed the connection without an answer."
