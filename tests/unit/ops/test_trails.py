"""Trails in log groups, as the commands read and correct them."""

import json

import pytest
from typer.testing import CliRunner, Result

from decision_client.audit.log_stream import TrailStream
from ops import __main__
from ops.__main__ import app
from ops.audit import trails
from tests.unit.decision_client.audit.fake_logs import FakeLogs
from tests.unit.decision_client.audit.records import decision, failure


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> FakeLogs:
    """Return Logs with a group of two applications' records."""
    fake = FakeLogs()
    TrailStream("/audit", "orders", fake).append([decision(1), failure(2, "DeadlineExceededError")])
    TrailStream("/audit", "returns", fake).append([decision(3, caller_id="a b")])
    monkeypatch.setattr(trails, "_logs", lambda: fake)
    return fake


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_all_streams_of_a_group_are_counted(logs: FakeLogs) -> None:
    """A group is read from the time on that is asked for."""
    assert json.loads(_run("audit", "logs:/audit", "--json").output)["total"]["asked"] == 3
    told = json.loads(_run("audit", "logs:/audit", "--since", "2026-11-30T03:20:02Z", "--json").output)

    assert told["total"]["asked"] == 2
    assert logs.patterns == ["", ""]


def test_override_goes_to_a_stream_of_its_own(logs: FakeLogs) -> None:
    """It is counted with the record, and refused a second time as in a file."""
    override = ("override", "case-1", "--trail", "logs:/audit", "--choice", "billing", "--by", "ana")

    assert _run(*override).output == "r1: account → billing, says ana.\n"

    assert isinstance(_run(*override).exception, __main__.REFUSALS)
    assert len(logs.streams["/audit", "overrides"]) == 1
    assert json.loads(_run("audit", "logs:/audit", "--json").output)["total"]["corrected"] == 1


@pytest.mark.parametrize(
    ("wanted", "pattern"),
    [
        ("case-1", '{ ($.id = "case-1") || ($.caller_id = "case-1") || ($.decision = "case-1") }'),
        ("a b", ""),
        ('x" || $.id = "*', ""),
    ],
)
def test_only_what_mentions_an_id_is_fetched(logs: FakeLogs, wanted: str, pattern: str) -> None:
    """Where the id can stand in a pattern; with any other id the group is read whole, and no pattern is made of it."""
    _run("override", wanted, "--trail", "logs:/audit", "--choice", "billing", "--by", "ana")

    assert logs.patterns == [pattern]


def test_group_that_cannot_be_read_is_refused(logs: FakeLogs) -> None:
    """In the service's own words."""
    assert isinstance(_run("audit", "logs:/none").exception, __main__.REFUSALS)
    assert logs.patterns == []
