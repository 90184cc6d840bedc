"""The way from labels to a policy that is acted upon and corrected: the steps, whatever answers behind the URL."""

import json
from collections.abc import Mapping
from pathlib import Path

from typer.testing import CliRunner, Result

from decision_client.audit.keyed_hash import LocalKey
from decision_client.audit.recording import Audit
from decision_client.audit.trail_file import TrailFile
from decision_client.client import DecisionClient
from decision_client.decided import Decision
from decision_client.definition import DecisionDefinition
from decision_client.http_transport import HttpTransport
from decision_client.policy import read_policy
from evidence.results import read_results
from ops.__main__ import app


def run(*arguments: object) -> Result:
    """Runs an operator's command."""
    return CliRunner().invoke(app, [str(each) for each in arguments])


def own_choices(results: Path, file: Path) -> Path:
    """Labels every task with what was chosen: the model is hardly ever right, and the way is what is tested."""
    choices = {line.task: line.choice for line in read_results(results).answers if line.rotation == 0}
    lines = [json.dumps({"task": task, "gold": choice}) for task, choice in choices.items()]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def act(
    url: str, policy: Path, definition: DecisionDefinition, states: Mapping[str, str], trail: Path
) -> dict[str, Decision]:
    """Decides states by their ids with a policy, which must cover them, and records each."""
    audit = Audit(TrailFile(trail), LocalKey("test", b"k" * 32))
    client = DecisionClient(HttpTransport(url), policies=[read_policy(policy)], on_decision=audit)
    decided = {name: client.decide(definition, state, decision_id=name) for name, state in states.items()}
    assert all(each.outcome.calibrated for each in decided.values())
    return decided


def correct(decided: Mapping[str, Decision], trail: Path) -> list[str]:
    """Corrects each decision to what was chosen; what the commands said."""
    said = [
        run("override", name, "--trail", trail, "--choice", each.answer.choice, "--by", "somebody")
        for name, each in decided.items()
    ]
    assert [each.exit_code for each in said] == [0] * len(said), [each.output for each in said]
    return [each.output for each in said]


def check(trail: Path, policy: Path) -> Result:
    """Checks a policy against the corrections."""
    return run("calibrate", trail, "--check", policy, "--unseen", "--json")
