"""A bearer token, what it is made of, and where it goes."""

import base64
import json
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from botocore.credentials import ReadOnlyCredentials
from typer.testing import CliRunner

from ops.__main__ import app
from ops.ask import CHAT_REQUEST, ask_command
from ops.ask.bearer_token import BearerError, bearer_token, complete
from ops.ask.chat_stream import read_stream

CREDENTIALS = ReadOnlyCredentials("AKIDEXAMPLE", "the-secret-key", "the-session")
ANSWERS: dict[str, tuple[int, bytes]] = {
    "/endpoints/good/openai/v1/chat/completions": (200, b'{"choices": []}'),
    "/endpoints/streams/openai/v1/chat/completions": (
        200,
        b'data: {"choices": [{"delta": {"content": "Paris"}}]}\n\ndata: [DONE]\n\n',
    ),
    "/endpoints/semif-local-chat/openai/v1/chat/completions": (
        200,
        b'{"choices": [{"message": {"content": "Paris."}}]}',
    ),
    "/endpoints/refuses/openai/v1/chat/completions": (403, b"no CallWithBearerToken for (secret)"),
    "/endpoints/redirects/openai/v1/chat/completions": (307, b""),
}


@pytest.fixture
def route() -> Iterator[tuple[str, list[tuple[str, Any, Any]]]]:
    """Serve the route on loopback; yield its address and what it was asked."""
    asked: list[tuple[str, Any, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append((self.path, self.headers["Authorization"], body))
            status, said = ANSWERS[self.path]
            said = said.replace(b"(secret)", self.headers["Authorization"].removeprefix("Bearer ").encode())
            self.send_response(status)
            if status == 307:
                self.send_header("Location", "/endpoints/good/openai/v1/chat/completions")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_token_is_a_signed_request_for_the_one_action() -> None:
    """It names action, region, service, session and how long it lasts, and holds no secret key."""
    token = bearer_token(CREDENTIALS, "eu-central-1", seconds=300)

    signed = base64.b64decode(token.removeprefix("sagemaker-api-key-")).decode()
    query = parse_qs(urlsplit(f"https://{signed}").query)
    assert signed.startswith("sagemaker.amazonaws.com/?")
    assert signed.endswith("&Version=1")
    assert query["Action"] == ["CallWithBearerToken"]
    assert query["X-Amz-Expires"] == ["300"]
    assert query["X-Amz-Credential"][0].endswith("/eu-central-1/sagemaker/aws4_request")
    assert query["X-Amz-Security-Token"] == ["the-session"]
    assert "the-secret-key" not in signed


def test_request_goes_to_the_endpoints_openai_route(route: tuple[str, list[Any]]) -> None:
    """The token is in the header and the body is the caller's own."""
    url, asked = route

    answer = b"".join(complete(url, "good", "the-token", {"messages": []}))

    assert json.loads(answer) == {"choices": []}
    assert asked == [("/endpoints/good/openai/v1/chat/completions", "Bearer the-token", {"messages": []})]


def test_streamed_answer_is_put_together(route: tuple[str, list[Any]]) -> None:
    """Server-sent events come as they do through InvokeEndpointWithResponseStream."""
    assert read_stream(complete(route[0], "streams", "the-token", {})).text == "Paris"


@pytest.mark.parametrize(("endpoint", "status"), [("refuses", 403), ("redirects", 307)])
def test_refusal_does_not_tell_the_token(route: tuple[str, list[Any]], endpoint: str, status: int) -> None:
    """Neither in the sentence nor in what led to it; and no other address is sent it."""
    url, asked = route

    with pytest.raises(BearerError, match=f"answers {status}") as caught:
        list(complete(url, endpoint, "the-token", {}))

    assert "the-token" not in str(caught.value)
    assert caught.value.__suppress_context__
    assert len(asked) == 1


def test_token_is_sent_encrypted_only() -> None:
    """Another scheme is refused before anything is sent."""
    with pytest.raises(BearerError, match="https only"):
        list(complete("http://runtime.invalid", "e", "the-token", {}))


def test_route_that_does_not_answer_is_a_sentence() -> None:
    """Nobody listens there."""
    with pytest.raises(BearerError, match="does not answer"):
        list(complete("http://127.0.0.1:1", "e", "the-token", {}))


class FakeSession:
    """A session whose credentials are the caller's, or those that a role gives."""

    def __init__(self, key_id: str = "", secret: str = "", token: str = "", region_name: str = "") -> None:
        self.given = (key_id or "AKIACALLER", secret or "the-secret-key", token)
        assert region_name

    def client(self, service: str) -> "FakeSession":
        """Return the one client used."""
        assert service == "sts"
        return self

    def assume_role(self, **asked: object) -> dict[str, Any]:
        """Give the role's credentials."""
        assert asked["DurationSeconds"] == 900
        return {
            "Credentials": {"AccessKeyId": "ASIAROLE", "SecretAccessKey": "s", "SessionToken": str(asked["RoleArn"])}
        }

    def get_credentials(self) -> Any:
        """Return them as boto3 does."""
        return SimpleNamespace(get_frozen_credentials=lambda: ReadOnlyCredentials(*self.given))


@pytest.mark.parametrize(("role", "key_id"), [("", "AKIACALLER"), ("arn:aws:iam::1:role/r", "ASIAROLE")])
def test_token_of_one_question_is_neither_printed_nor_logged(
    route: tuple[str, list[Any]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    role: str,
    key_id: str,
) -> None:
    """It is made with the caller's credentials or the role's, used once, and seen by the route alone."""
    url, asked = route
    runtime = SimpleNamespace(meta=SimpleNamespace(region_name="us-east-1", endpoint_url=url))
    monkeypatch.setattr(ask_command, "runtime_client", lambda _region: runtime)
    monkeypatch.setattr("ops.ask.ask_command.boto3.Session", FakeSession)

    with caplog.at_level(logging.DEBUG):
        shown = CliRunner().invoke(app, ["ask", "chat", "local", "--openai", *(["--role", role] if role else [])])

    assert shown.stdout == "chat      Paris.\n"
    ((_, authorization, body),) = asked
    token = authorization.removeprefix("Bearer ")
    assert body == CHAT_REQUEST
    assert f"X-Amz-Credential={key_id}%2F" in base64.b64decode(token.removeprefix("sagemaker-api-key-")).decode()
    assert token not in shown.output + caplog.text
