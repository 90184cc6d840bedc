"""`ops audit` as it is typed, and what the commands of a trail say of themselves."""

import json
from pathlib import Path

import pytest

from decision_client.audit.trail_file import TrailFile
from tests.unit.decision_client.audit.records import correction, decision, failure
from tests.unit.ops.recorded_decision import run

CANARY = "CANARY-7f3a"


@pytest.mark.parametrize("command", ["replay", "override", "audit"])
def test_every_command_explains_itself(command: str) -> None:
    """`--help` names what it takes."""
    assert "Usage:" in run(command, "--help").output


def test_trail_is_counted(folder: Path) -> None:
    """Over all definitions and for each, kinds that did not occur left out."""
    trail = folder / "audit.jsonl"
    TrailFile(trail).append([decision(2), failure(3, "DeadlineExceededError"), correction(1, decision(2), "none")])

    result = run("audit", trail)

    assert result.exit_code == 0
    assert [line.split() for line in result.output.splitlines()[:9]] == [
        ["all", "definitions"],
        ["asked", "3"],
        ["answered", "2"],
        ["timeouts", "1"],
        ["attempts", "3"],
        ["acted", "2"],
        ["corrected", "1"],
        ["acted", "corrected", "1"],
        ["override", "rate", "50.0%"],
    ]


def test_two_wordings_of_one_version_are_said(folder: Path) -> None:
    """Whoever reads the counts hears of which question they are: of none."""
    trail = folder / "audit.jsonl"
    edited = decision(1).definition.model_copy(update={"sha256": "0" * 64})
    TrailFile(trail).append([decision(2), decision(3, definition=edited)])

    assert "\nsupport-route 1 has more than one wording" in run("audit", trail).output


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ((), 3),
        (("--since", "2026-11-30T03:20:02Z"), 2),
        (("--until", "2026-11-30T03:20:02Z"), 1),
        (("--since", "2026-12-01"), 0),
    ],
)
def test_trail_is_counted_between_two_times(folder: Path, arguments: tuple[str, ...], asked: int) -> None:
    """The first is in, the second is out; both are UTC."""
    trail = folder / "audit.jsonl"
    TrailFile(trail).append([decision(2), failure(3, "EndpointBusyError"), correction(1, decision(2), "none")])

    told = json.loads(run("audit", trail, "--json", *arguments).output)

    assert told["total"]["asked"] == asked
    assert told["overrides_of_unknown"] == 0


def test_line_that_is_no_record_is_named(folder: Path) -> None:
    """A script that counts gets 1."""
    trail = folder / "audit.jsonl"
    with trail.open("a") as file:
        file.write(f'{{"state": "{CANARY}"')

    result = run("audit", trail)

    assert result.exit_code == 1
    assert result.output.splitlines()[-1] == f"{trail}:2: is no record."
