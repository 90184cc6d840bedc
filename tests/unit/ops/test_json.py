"""Every command prints one JSON document for programs, and nothing else on standard output."""

import json
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from botocore.credentials import ReadOnlyCredentials
from typer.testing import CliRunner

from ops.__main__ import app
from ops.ask import CHAT_REQUEST, ask_command
from ops.deployment.bootstrapped import VERSION_PARAMETER
from ops.services import Services
from tests.unit.ops.fake_account import SETTINGS, FakeAccount
from tests.unit.ops.test_bootstrapped import FakeParameterStore

Lines = list[dict[str, str]]
STREAM = b'data: {"choices": [{"delta": {"content": "Pa"}}]}\n\ndata: {"choices": [{"delta": {"content": "ris"}}]}\n\n'
END = b"data: [DONE]\n\n"
COMPLETION = {"choices": [{"message": {"content": "Paris."}}]}


class AskedAccount(FakeAccount):
    """An account whose chat endpoint streams, too."""

    def invoke_endpoint_with_response_stream(self, *, Body: bytes, **_: object) -> Any:  # noqa: N803 - boto3's spelling
        """Answer in two parts, cut anywhere."""
        assert json.loads(Body) == {**CHAT_REQUEST, "stream": True}
        whole = STREAM + END
        return {"Body": FakeBody([{"PayloadPart": {"Bytes": part}} for part in (whole[:40], whole[40:])])}


class FakeBody(list[Any]):
    """An event stream."""

    def close(self) -> None:
        """Be of no further use."""


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> AskedAccount:
    """Return the account that every command is connected to."""
    fake = AskedAccount()
    fake.objects["semif-local-models", SETTINGS.model.file] = b""
    for kind in ("chat", "decision"):
        fake.stacks[kind] |= {"EndpointName": f"semif-local-{kind}", "ModelDataUrl": fake.model_url[kind]}
    monkeypatch.setattr(Services, "of_region", lambda _region: fake.services())
    monkeypatch.setattr(ask_command, "runtime_client", lambda _region: fake)
    credentials = SimpleNamespace(get_frozen_credentials=lambda: ReadOnlyCredentials("AKIACALLER", "secret", None))
    session = SimpleNamespace(get_credentials=lambda: credentials)
    monkeypatch.setattr("ops.ask.ask_command.boto3.Session", lambda **_: session)
    monkeypatch.setattr(ask_command, "complete", _completed)
    clients = {"ssm": FakeParameterStore(**{VERSION_PARAMETER: "30"}), "cloudformation": fake}
    monkeypatch.setattr("ops.deployment.before_deploy.boto3.client", lambda service, **_: clients[service])
    return fake


def _completed(_url: str, _name: str, _token: str, body: dict[str, Any]) -> Iterator[bytes]:
    """Stand in for the OpenAI-compatible route, which another test asks on loopback."""
    yield STREAM + END if body.get("stream") else json.dumps(COMPLETION).encode()


def _subjects(*expected: str) -> Callable[[Lines], bool]:
    return lambda lines: {*expected} <= {line["subject"] for line in lines}


@pytest.mark.parametrize(
    ("arguments", "holds"),
    [
        (["doctor", "local"], _subjects("credentials", "chat endpoint", "decision endpoint", "model key")),
        (["trace", "local"], _subjects("chat image", "decision image", "decision answers", "chat archive", "commit")),
        (["pin", "show", "local"], _subjects("model.source", "images.chat", "images.decision_base", "model key")),
        (["pin", "check", "local"], _subjects("model.source", "images.chat", "images.decision_base", "model key")),
        (["why", "local"], lambda told: told[0] == "semif-local-artifact: CREATE_COMPLETE"),
        (["names", "local"], lambda told: told == []),
        (["running", "local"], lambda told: [each["differences"] for each in told] == [[], []]),
        (["bootstrapped", "local"], lambda told: told == {"version": 30}),
        (["ask", "chat", "local", "--stream"], lambda told: told["streamed"]["pieces"] == ["Pa", "ris"]),
        (["ask", "chat", "local", "--openai"], lambda told: told == {"chat": COMPLETION}),
        (["ask", "chat", "local", "--openai", "--stream"], lambda told: told["streamed"]["pieces"] == ["Pa", "ris"]),
        (["ask", "decision", "local"], lambda told: "result" in told["decision"]),
        (["billed", "local"], lambda told: [fleet["count"] for fleet in told] == [1, 1]),
    ],
)
def test_command_prints_one_document(account: AskedAccount, arguments: list[str], holds: Callable[[Any], bool]) -> None:
    """It parses as a whole and holds what the command is about."""
    assert account

    result = CliRunner().invoke(app, [*arguments, "--json"])

    assert holds(json.loads(result.stdout))


def test_retired_environment_is_told_as_one_document(account: AskedAccount) -> None:
    """What is gone and what is left; both endpoints were gone before, so nobody waits."""
    account.endpoints.clear()

    told: Lines = json.loads(CliRunner().invoke(app, ["retire", "local", "--yes", "--json"]).stdout)

    assert _subjects("chat endpoint", "decision endpoint", "bucket", "repository")(told)


def _commands(command: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the commands below one, which is a group of them if it has any."""
    for name, below in getattr(command, "commands", {}).items():
        yield from _commands(below, *path, name)
    if not hasattr(command, "commands"):
        yield path, command


def test_every_command_has_the_option() -> None:
    """A new command without `--json` is noticed here."""
    commands = dict(_commands(typer.main.get_command(app)))
    without = [path for path, command in commands.items() if not any("--json" in each.opts for each in command.params)]

    assert ("pin", "update") in commands
    assert without == []
