"""Trails in log groups, as the commands read and correct them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from decision_client.audit.hashed_request import RequestHasher
from decision_client.audit.log_stream import TrailStream
from decision_client.audit.record import DecisionRecord, OverrideRecord
from decision_client.policy import read_policy
from evidence.calibration.policy_file import text
from evidence.calibration.trail import NOTE
from ops import __main__
from ops.__main__ import app
from ops.audit import trails
from tests.unit.decision_client import samples
from tests.unit.decision_client.audit.fake_logs import FakeLogs
from tests.unit.decision_client.audit.records import KEY, correction, decision, failure
from tests.unit.decision_client.samples import DEFINITION


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


def _labelled(number: int, choice: str) -> tuple[DecisionRecord, OverrideRecord]:
    hashes = RequestHasher(KEY).hashes(f"state {number}", DEFINITION.question, DEFINITION.options)
    record = decision(number, hashes=hashes)
    return record, correction(number, record, choice)


def test_policy_is_checked_on_the_corrections_of_a_group(logs: FakeLogs, tmp_path: Path) -> None:
    """Decisions of one stream, labels of another; what nobody has labelled counts for nothing."""
    labelled = [_labelled(number, "billing" if number < 12 else "account") for number in range(10, 50)]
    TrailStream("/audit", "orders", logs).append([record for record, _ in labelled])
    TrailStream("/audit", "overrides", logs).append([override for _, override in labelled])
    policy = tmp_path / "policy.toml"
    policy.write_text(text(samples.policy(target_risk=0.2, review=None)), encoding="utf-8")
    check = ("calibrate", "logs:/audit", "--check", str(policy), "--unseen", "--json")

    result = _run(*check)
    found = json.loads(result.output)
    later = json.loads(_run(*check, "--since", "2026-11-30T03:20:12Z").output)

    assert (result.exit_code, found["answers"], found["differences"]) == (0, 40, [])
    assert [(each["verdict"], each["tested"][0]["wrong"]) for each in found["thresholds"]] == [("holds", 2)]
    assert found["said"] == [f"audit: {NOTE}"]
    assert (later["answers"], later["thresholds"][0]["tested"][0]["wrong"]) == (38, 0)


def test_policy_is_made_from_the_corrections_of_a_group(logs: FakeLogs, tmp_path: Path) -> None:
    """As from a file: it is bound to what the records say has answered."""
    labelled = [_labelled(number, "account") for number in range(10, 120)]
    TrailStream("/audit", "orders", logs).append([each for pair in labelled for each in pair])
    out = tmp_path / "policies"

    result = _run("calibrate", "logs:/audit", "--target-risk", "0.1", "--out", str(out))

    assert result.exit_code == 0, result.output
    made = read_policy(out / "support-route-1.toml")
    assert made.binding == samples.policy().binding
    assert made.evidence["tasks"]["fitting"] + made.evidence["tasks"]["certifying"] == 110
    assert NOTE in result.output


def test_group_without_a_label_or_with_a_file_of_labels_is_refused(logs: FakeLogs, tmp_path: Path) -> None:
    """Nothing can be concluded, and a trail is corrected in the trail."""
    labels = tmp_path / "labels.jsonl"
    labels.write_text("")
    for arguments in (("logs:/audit",), ("logs:/audit", "--labels", str(labels)), ("logs:/none",)):
        refused = _run("calibrate", *arguments, "--target-risk", "0.1", "--out", str(tmp_path))
        assert isinstance(refused.exception, __main__.REFUSALS)
    assert logs.patterns == ["", ""]
    assert not list(tmp_path.glob("*.toml"))


def test_group_that_cannot_be_read_is_refused(logs: FakeLogs) -> None:
    """In the service's own words."""
    assert isinstance(_run("audit", "logs:/none").exception, __main__.REFUSALS)
    assert logs.patterns == []
