"""From labelled decisions to an application that acts, and to the check of its corrections: every step over HTTP."""

import json
from pathlib import Path

import pytest

from decision_client.definition import read_definition
from decision_client.outcome import Action
from tests.contract.application import Served
from tests.contract.labelled_story import act, check, correct, own_choices, run
from tests.contract.served_url import served_url

CANARY = "canary-7f3a"
DEFINITION = f"""
name = "holds"
version = "1"
type = "noul"
question = "Does it hold, {CANARY}?"
options = [{{ id = "yes", description = "It does, {CANARY}." }}, {{ id = "no", description = "It does not." }}]
"""
RISK = ("--target-risk", "0.2", "--min-mass", "0", "--min-margin", "0")


def _labelled(folder: Path) -> Path:
    (folder / "definitions").mkdir(parents=True)
    (folder / "definitions" / "holds.toml").write_text(DEFINITION, encoding="utf-8")
    rows = [
        {"id": f"case-{number}", "definition": "holds", "state": f"Case {number}, {CANARY}.", "gold": "yes"}
        for number in range(60)
    ]
    file = folder / "rows.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return file


@pytest.mark.rule(
    "Labels become a policy, the client acts by it, and corrections of its decisions check it, without a word of what "
    "was asked in any file",
    tool="the decision container's HTTP edge, the operator's commands",
    emulated="the engine behind it",
)
def test_labels_become_a_policy_that_is_acted_upon_and_checked(tmp_path: Path) -> None:
    """Bench, calibrate, act, correct, check: each step takes what the one before has left."""
    rows, kept = _labelled(tmp_path / "asked"), tmp_path / "kept"
    results, file, trail = kept / "results.jsonl", kept / "policies" / "holds-1.toml", kept / "audit.jsonl"
    kept.mkdir()
    with served_url(Served()) as url:
        measured = run("bench", url, "--tasks", rows, "--rotations", 2, "--out", results)
        labels = own_choices(results, kept / "labels.jsonl")
        made = run("calibrate", results, *RISK, "--labels", labels, "--out", file.parent)
        assert (measured.exit_code, made.exit_code) == (0, 0), measured.output + made.output
        asked = read_definition(rows.parent / "definitions" / "holds.toml")
        states = {f"new-{number}": f"Another new-{number}, {CANARY}." for number in range(20)}
        decided = act(url, file, asked, states, trail)
    said = correct(decided, trail)
    assert "order: " in made.output

    acted = sum(each.outcome.action is Action.ACT for each in decided.values())
    assert acted
    checked = check(trail, file)
    found = json.loads(checked.output)
    (tested,) = found["thresholds"][0]["tested"]
    assert (found["answers"], found["differences"]) == (20, [])
    assert (tested["covered"], tested["wrong"]) == (acted, 0)
    assert checked.exit_code == (0 if acted >= found["thresholds"][0]["least"] else 1)
    texts = [measured.output, made.output, *said, checked.output]
    texts += [each.read_text(encoding="utf-8") for each in kept.rglob("*") if each.is_file()]
    assert all(CANARY not in text for text in texts)
