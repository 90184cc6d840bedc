import http.client
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local_aws.checkout import HOST
from local_aws.emulator import invoke_proxy
from local_aws.emulator.invoke_errors import MAX_BODY_BYTES, InvokeError

if TYPE_CHECKING:
    from types_boto3_sagemaker_runtime import SageMakerRuntimeClient

ARN = "arn:aws:logs:us-east-1:000000000000:log-group:g:log-stream:AllTraffic/i-1"


# Released by a test for each part that it has read.
READ = threading.Semaphore(0)


class Container(BaseHTTPRequestHandler):
    """A container whose answer is what the request asks for."""

    def do_POST(self) -> None:
        """Answer with the wished parts."""
        wish = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(wish.get("delay", 0))
        self.send_response(wish.get("status", 200))
        self.send_header("Content-Type", self.headers["Content-Type"])
        self.end_headers()
        for part in wish["parts"]:
            self.wfile.write(part.encode())
            self.wfile.flush()
            if wish.get("in_turn"):
                READ.acquire()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@dataclass
class Process:
    """What the proxy knows of a process."""

    port: int
    log_stream_arn: str = ARN


@dataclass
class Fleet:
    """A fleet with one endpoint, `here`."""

    process: Process

    def in_service(self, name: str) -> Process | None:
        """Know one name."""
        return self.process if name == "here" else None


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The proxy's port; behind it stands the container, and waiting ends after a quarter of a second."""
    monkeypatch.setattr(invoke_proxy, "INVOKE_SECONDS", 0.25)
    container = ThreadingHTTPServer((HOST, 0), Container)
    fleet: Any = Fleet(Process(container.server_address[1]))

    class Proxy(invoke_proxy.InvokeProxy):
        pass

    def authorize(_: object, __: bytes, needed: list[tuple[str, str]]) -> None:
        if needed[0][1].endswith("/forbidden"):
            raise InvokeError(403, "AccessDeniedException", f"not authorized to perform: {needed[0][0]}")

    Proxy.fleet = fleet
    monkeypatch.setattr(Proxy, "authorize", authorize, raising=False)
    proxy = ThreadingHTTPServer((HOST, 0), Proxy)
    for server in (container, proxy):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield proxy.server_address[1]
    for server in (container, proxy):
        server.shutdown()
        server.server_close()


@pytest.fixture
def runtime(port: int) -> "Iterator[SageMakerRuntimeClient]":
    """Real boto3, pointed at the proxy, without retries."""
    client = boto3.client(
        "sagemaker-runtime",
        endpoint_url=f"http://{HOST}:{port}",
        region_name="us-east-1",
        aws_access_key_id="key",
        aws_secret_access_key="secret",
        config=Config(retries={"total_max_attempts": 1}),
    )
    yield client
    client.close()


def _invoke(runtime: "SageMakerRuntimeClient", name: str = "here", **wish: Any) -> dict[str, Any]:
    body = json.dumps({"parts": ["a"], **wish}).encode()
    answer = runtime.invoke_endpoint(EndpointName=name, ContentType="text/x-test", Body=body)
    return {**answer, "Body": answer["Body"].read()}


def test_answer_of_the_container_reaches_boto3(runtime: "SageMakerRuntimeClient") -> None:
    """Body, content type and variant are those of the container and its endpoint."""
    answer = _invoke(runtime, parts=["a", "b"])

    assert (
        answer["Body"],
        answer["ContentType"],
        answer["InvokedProductionVariant"],
    ) == (b"ab", "text/x-test", "AllTraffic")


def test_streamed_answer_reaches_boto3_in_parts(runtime: "SageMakerRuntimeClient") -> None:
    """The parts of a streamed answer come through botocore's event stream."""
    body = json.dumps({"parts": ["a", "b", "c"]}).encode()

    answer = runtime.invoke_endpoint_with_response_stream(EndpointName="here", ContentType="text/x-test", Body=body)

    assert answer["ContentType"] == "text/x-test"
    assert b"".join(event["PayloadPart"]["Bytes"] for event in answer["Body"]) == b"abc"


def test_streamed_part_arrives_before_the_next_one_is_written(runtime: "SageMakerRuntimeClient") -> None:
    """Nothing holds parts back: this container writes each one only when the one before it was read."""
    body = json.dumps({"parts": ["a", "b", "c"], "in_turn": True}).encode()
    answer = runtime.invoke_endpoint_with_response_stream(EndpointName="here", ContentType="text/x-test", Body=body)

    read = []
    for event in answer["Body"]:
        read.append(event["PayloadPart"]["Bytes"])
        READ.release()

    assert read == [b"a", b"b", b"c"]


@pytest.mark.parametrize("status", [400, 503])
def test_error_of_the_container_is_a_model_error(runtime: "SageMakerRuntimeClient", status: int) -> None:
    """An error answer becomes ModelError 424, with status, message and log of the container."""
    with pytest.raises(runtime.exceptions.ModelError) as caught:
        _invoke(runtime, status=status, parts=["busy"])

    response: Any = caught.value.response
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 424
    assert (status, "busy", ARN) == (
        response["OriginalStatusCode"],
        response["OriginalMessage"],
        response["LogStreamArn"],
    )


def test_answer_that_comes_too_late_is_a_model_error(runtime: "SageMakerRuntimeClient") -> None:
    """A container that does not answer in time gives a ModelError that says so, with status 0."""
    with pytest.raises(runtime.exceptions.ModelError, match="did not answer within") as caught:
        _invoke(runtime, delay=0.6)

    response: Any = caught.value.response
    assert response["OriginalStatusCode"] == 0


@pytest.mark.parametrize("operation", ["invoke_endpoint", "invoke_endpoint_with_response_stream"])
def test_caller_without_permission_reaches_no_endpoint(runtime: "SageMakerRuntimeClient", operation: str) -> None:
    """Who may not ask gets AccessDeniedException with the action, whether or not the endpoint is there."""
    with pytest.raises(ClientError) as caught:
        getattr(runtime, operation)(EndpointName="forbidden", Body=b"{}")

    error = caught.value.response["Error"]
    action = "sagemaker:" + "".join(word.title() for word in operation.split("_"))
    assert (error["Code"], error["Message"]) == ("AccessDeniedException", f"not authorized to perform: {action}")


def test_unknown_endpoint_is_a_validation_error(runtime: "SageMakerRuntimeClient") -> None:
    """An endpoint that is not there is refused with ValidationError and its name."""
    with pytest.raises(ClientError, match="Endpoint gone of account 000000000000 not found") as caught:
        _invoke(runtime, name="gone")

    assert caught.value.response["Error"]["Code"] == "ValidationError"


def test_largest_body_passes_and_one_byte_more_does_not(runtime: "SageMakerRuntimeClient") -> None:
    """6,291,456 bytes are taken; one byte more is refused with both sizes."""
    frame = len(json.dumps({"parts": ["a"], "fill": ""}))

    assert _invoke(runtime, fill="x" * (MAX_BODY_BYTES - frame))["Body"] == b"a"
    with pytest.raises(ClientError, match="6291457 bytes; at most 6291456"):
        _invoke(runtime, fill="x" * (MAX_BODY_BYTES - frame + 1))


def test_request_without_signature_is_refused(port: int) -> None:
    """A request that carries no SigV4 signature gets 403 and is not passed on."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    connection.request("POST", "/endpoints/here/invocations", b'{"parts": ["a"]}')

    answer = connection.getresponse()

    assert (answer.status, answer.getheader("x-amzn-ErrorType")) == (403, "MissingAuthenticationTokenException")
    connection.close()
