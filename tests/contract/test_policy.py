"""From labelled decisions to an application that acts, and to the check of its corrections: every step over HTTP."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from decision_client.audit.keyed_hash import LocalKey
from decision_client.audit.recording import Audit
from decision_client.audit.trail_file import TrailFile
from decision_client.client import DecisionClient
from decision_client.definition import read_definition
from decision_client.http_transport import HttpTransport
from decision_client.outcome import Action
from decision_client.policy import read_policy
from evidence.results import read_results
from ops.__main__ import app
from tests.contract.application import Served
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


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


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


def _own_choices(results: Path, file: Path) -> Path:
    """Label every task with what was chosen: the toy knows nothing, and the way is what is tested."""
    choices = {line.task: line.choice for line in read_results(results).answers if line.rotation == 0}
    lines = [json.dumps({"task": task, "gold": choice}) for task, choice in choices.items()]
    file.write_text("\n".join(lines), encoding="utf-8")
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
        said = [_run("bench", url, "--tasks", rows, "--rotations", 2, "--out", results)]
        labels = _own_choices(results, kept / "labels.jsonl")
        said.append(_run("calibrate", results, *RISK, "--labels", labels, "--out", file.parent))
        audit = Audit(TrailFile(trail), LocalKey("test", b"k" * 32))
        client = DecisionClient(HttpTransport(url), policies=[read_policy(file)], on_decision=audit)
        asked = read_definition(rows.parent / "definitions" / "holds.toml")
        decided = {
            name: client.decide(asked, f"Another {name}, {CANARY}.", decision_id=name)
            for name in (f"new-{number}" for number in range(20))
        }
    for name, each in decided.items():
        assert each.outcome.calibrated
        said.append(_run("override", name, "--trail", trail, "--choice", each.answer.choice, "--by", "somebody"))
    assert [each.exit_code for each in said] == [0] * len(said), [each.output for each in said]
    assert "order: " in said[1].output

    acted = sum(each.outcome.action is Action.ACT for each in decided.values())
    assert acted
    checked = _run("calibrate", trail, "--check", file, "--unseen", "--json")
    found = json.loads(checked.output)
    (tested,) = found["thresholds"][0]["tested"]
    assert (found["answers"], found["differences"]) == (20, [])
    assert (tested["covered"], tested["wrong"]) == (acted, 0)
    assert checked.exit_code == (0 if acted >= found["thresholds"][0]["least"] else 1)
    texts = [each.output for each in (*said, checked)]
    texts += [each.read_text(encoding="utf-8") for each in kept.rglob("*") if each.is_file()]
    assert all(CANARY not in text for text in texts)
