"""`ops override` as it is typed."""

import json
from pathlib import Path

import pytest

from decision_client.audit.hashed_request import RequestHasher
from decision_client.audit.trail import read_trail
from decision_client.audit.trail_file import TrailFile
from ops import __main__
from tests.unit.decision_client.audit.records import KEY, decision
from tests.unit.ops.recorded_decision import Endpoint, replay, run


def test_override_is_appended(folder: Path) -> None:
    """And printed, as a sentence or for programs."""
    trail = folder / "audit.jsonl"

    said = run("override", "case-1", "--trail", trail, "--choice", "billing", "--by", "ana")
    told = json.loads(run("override", "r1", "--trail", trail, "--choice", "account", "--by", "ana", "--json").output)

    assert said.output == "r1: account → billing, says ana.\n"
    assert (told["decision"], told["choice"], told["answered"]) == ("r1", "account", "account")
    assert [each.choice for each in read_trail([trail]).overrides.values()] == ["billing", "account"]


@pytest.mark.parametrize(
    ("wanted", "choice"), [("nobody", "billing"), ("r1", "sales"), ("r1", "account")], ids=["id", "option", "again"]
)
def test_override_that_cannot_be_meant_is_refused(folder: Path, wanted: str, choice: str) -> None:
    """An unknown id, an option that was not declared, the same once more."""
    trail = folder / "audit.jsonl"
    run("override", "r1", "--trail", trail, "--choice", "account", "--by", "ana")
    before = trail.read_bytes()

    result = run("override", wanted, "--trail", trail, "--choice", choice, "--by", "ana")

    assert isinstance(result.exception, __main__.REFUSALS)
    assert trail.read_bytes() == before


def test_decision_is_found_by_the_id_that_its_record_hashes(folder: Path, endpoint: Endpoint) -> None:
    """Whoever has the key file can correct and replay it by the id that the application knows."""
    trail = folder / "audit.jsonl"
    hashed = RequestHasher(KEY).caller_id("case-2")
    TrailFile(trail).append([decision(2, caller_id=hashed, caller_id_hashed=True)])
    override = ("override", "case-2", "--trail", trail, "--choice", "billing", "--by", "ana")

    assert isinstance(run(*override).exception, __main__.REFUSALS)
    assert run(*override, "--key-file", folder / "key.toml").output == "r2: account → billing, says ana.\n"
    assert replay(folder, "--id", "case-2").exit_code == 0
    assert len(endpoint.sent) == 1
