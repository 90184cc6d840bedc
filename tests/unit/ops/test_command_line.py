"""The one command line of the operator: its help, its refusals, its codes."""

import json
from pathlib import Path

import pytest
from botocore.exceptions import NoRegionError
from rich.console import Console
from typer.testing import CliRunner, Result

from ops import __main__
from ops.__main__ import app
from ops.ask import ask_command
from ops.report import ok, show, warning, wrong
from ops.services import Services
from tests.unit.ops.fake_account import FakeAccount


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> FakeAccount:
    """Return the account that every command is connected to."""
    fake = FakeAccount()
    monkeypatch.setattr(Services, "of_region", lambda _region: fake.services())
    monkeypatch.setattr(ask_command, "runtime_client", lambda _region: fake)
    return fake


def _run(*arguments: str, said: str = "") -> Result:
    return CliRunner().invoke(app, arguments, input=said)


@pytest.mark.parametrize("command", [[], ["pin"], ["doctor"], ["trace"], ["retire"], ["ask"], ["pin", "update"]])
def test_every_command_explains_itself(command: list[str]) -> None:
    """`--help` names the environment and the options."""
    shown = _run(*command, "--help")

    assert shown.exit_code == 0
    assert "Usage:" in shown.output


def test_doctor_ends_with_the_worst_of_its_lines(account: FakeAccount) -> None:
    """0 in health, 1 with warnings, 2 with something wrong, for whoever runs it from a script."""
    assert _run("doctor", "local").exit_code == 0
    account.status["chat"] = "UPDATE_ROLLBACK_COMPLETE"
    assert _run("doctor", "local").exit_code == 1
    account.endpoints.clear()
    result = _run("doctor", "local", "--json")
    assert result.exit_code == 2
    assert {line["state"] for line in json.loads(result.stdout)} == {"ok", "warning", "wrong"}


def test_doctor_without_a_region_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """No client can be made, so nothing else is looked at."""

    def fail(_region: str | None) -> Services:
        raise NoRegionError

    monkeypatch.setattr(Services, "of_region", fail)

    result = _run("doctor", "dev")

    assert result.exit_code == 2
    assert "environment.region of the file, or AWS_REGION" in result.stdout


def test_trace_that_breaks_ends_with_2(account: FakeAccount) -> None:
    """A chain that does not hold is no success for a script."""
    account.image["decision"] = "registry/repository:latest"

    result = _run("trace", "local", "--json")

    assert result.exit_code == 2
    broken = [line["subject"] for line in json.loads(result.stdout) if line["state"] == "wrong"]
    assert "decision image" in broken


def test_retire_asks_for_the_environments_name(account: FakeAccount) -> None:
    """Another word than the name deletes nothing."""
    result = _run("retire", "local", said="yes\n")

    assert result.exit_code == 2
    assert "nothing was deleted" in result.stderr
    assert "delete_endpoint" not in account.calls


def test_retire_goes_on_when_the_name_is_typed(account: FakeAccount) -> None:
    """What is gone, and what is left with how it goes, is told."""
    account.endpoints.clear()

    result = _run("retire", "local", said="local\n")

    assert result.exit_code == 0
    assert "is deleted" in result.stdout
    assert "aws logs delete-log-group" in result.stdout


def test_question_from_a_file_is_sent_as_it_is(account: FakeAccount, tmp_path: Path) -> None:
    """The answer comes as JSON, whatever form the request has."""
    request = tmp_path / "request.json"
    request.write_text('{"shared": {"state": "s"}}')

    result = _run("ask", "decision", "local", "--file", str(request), "--json")

    assert json.loads(result.stdout)["decision"]["result"]["model"] == account.says


@pytest.mark.parametrize(
    "arguments",
    [
        ["decision", "local", "--stream"],
        ["decision", "local", "--openai"],
        ["both", "local", "--file", "request.json"],
        ["chat", "local", "--role", "arn:aws:iam::1:role/r"],
        ["chat", "local", "--file", "not-there.json"],
    ],
)
def test_question_that_cannot_be_asked_is_refused(account: FakeAccount, arguments: list[str]) -> None:
    """Nothing is sent."""
    result = _run("ask", *arguments)

    assert isinstance(result.exception, __main__.REFUSALS)
    assert "invoke_endpoint" not in account.calls


def test_lines_are_not_folded_and_not_taken_for_markup(capsys: pytest.CaptureFixture[str]) -> None:
    """A digest is copied from a narrow window in one piece; an action stands below its line."""
    lines = [ok("a", "x" * 200), warning("b", "[red]text", "do"), wrong("c", "s", "do")]

    show(Console(width=40), lines, as_json=False)

    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == f"ok       a  {'x' * 200}"
    assert printed[1:3] == ["warning  b  [red]text", "            → do"]


def test_text_between_colons_is_not_taken_for_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    """The ARN of a secret is printed as it is, in lines and in JSON."""
    arn = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:hub-token"

    show(Console(width=200), [wrong("a", arn, arn)], as_json=False)
    show(Console(width=200), [wrong("a", arn, arn)], as_json=True)

    assert capsys.readouterr().out.count(arn) == 4
