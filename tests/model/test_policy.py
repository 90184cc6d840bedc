"""From labelled decisions to an application that acts, and to the gate of an image's change: with a real model."""

import json
from collections.abc import Iterator
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
from tests.model.process import OTHER_LLAMA, ROOT, SMOLLM2, SMOLLM2_PROMPT, environment, serving

pytestmark = [pytest.mark.model, pytest.mark.slow]

TASKS = ROOT / "evidence" / "tasks"
DEFINITION = read_definition(TASKS / "definitions" / "support-route.toml")
RISK = ("--target-risk", "0.4", "--confidence", "0.9", "--min-mass", "0", "--min-margin", "0")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rows of one definition."""
    lines = (TASKS / "routing.jsonl").read_text(encoding="utf-8").splitlines()
    file = tmp_path_factory.mktemp("rows") / "routing.jsonl"
    mine = [line for line in lines if json.loads(line)["definition"] == DEFINITION.name]
    file.write_text("".join(f"{line}\n" for line in mine), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A container that answers."""
    with serving(environment(SMOLLM2, SMOLLM2_PROMPT)) as container:
        yield str(container.client.base_url)


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


def _bench(url: str, rows: Path, out: Path) -> Path:
    definitions = TASKS / "definitions"
    done = _run("bench", url, "--tasks", rows, "--definitions", definitions, "--out", out)
    assert done.exit_code == 0, done.output
    return out


def _own_choices(results: Path, file: Path) -> Path:
    """Label every task with what was chosen: a model this small is hardly ever right, and the way is what is tested."""
    choices = {line.task: line.choice for line in read_results(results).answers if line.rotation == 0}
    lines = [json.dumps({"task": task, "gold": choice}) for task, choice in choices.items()]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


@pytest.mark.rule(
    "Labelled decisions become a policy, the client acts by it, corrections check it, and another library's build is "
    "named and not acted upon",
    tool="libllama v0.5.0 and v0.4.0, SmolLM2-135M",
    emulated="",
)
def test_labels_become_a_policy_that_corrections_and_other_builds_are_checked_against(
    url: str, rows: Path, tmp_path: Path
) -> None:
    """Bench, calibrate, act, correct, check: each step takes what the one before has left."""
    results = _bench(url, rows, tmp_path / "results.jsonl")
    labels = _own_choices(results, tmp_path / "labels.jsonl")
    made = _run("calibrate", results, *RISK, "--labels", labels, "--out", tmp_path / "policies")
    assert made.exit_code == 0, made.output
    file = tmp_path / "policies" / "support-route-1.toml"
    policy = read_policy(file)

    trail = tmp_path / "audit.jsonl"
    audit = Audit(TrailFile(trail), LocalKey("test", b"k" * 32))
    client = DecisionClient(HttpTransport(url), policies=[policy], on_decision=audit)
    states = {
        f"case-{number}": json.loads(line)["state"]
        for number, line in enumerate(rows.read_text(encoding="utf-8").splitlines())
    }
    decided = {name: client.decide(DEFINITION, state, decision_id=name) for name, state in list(states.items())[:6]}
    assert all(each.outcome.calibrated for each in decided.values())
    assert Action.ACT in {each.outcome.action for each in decided.values()}
    for name, each in decided.items():
        said = _run("override", name, "--trail", trail, "--choice", each.answer.choice, "--by", "somebody")
        assert said.exit_code == 0, said.output
    checked = _run("calibrate", trail, "--check", file, "--unseen", "--json")
    found = json.loads(checked.output)
    assert (found["answers"], found["differences"], found["thresholds"][0]["tested"][0]["wrong"]) == (6, [], 0)

    with serving(environment(SMOLLM2, SMOLLM2_PROMPT, {"SEMIF_LLAMA_DIR": str(OTHER_LLAMA)})) as other:
        elsewhere = str(other.client.base_url)
        there = DecisionClient(HttpTransport(elsewhere), policies=[policy])
        refused = there.decide(DEFINITION, states["case-0"], decision_id="case-0")
        gate = _run("calibrate", _bench(elsewhere, rows, tmp_path / "other.jsonl"), "--labels", labels, "--check", file)
    assert (refused.outcome.action, refused.outcome.mismatch) == (Action.REVIEW, "binding.library_sha256")
    assert "binding.library_sha256: the policy is for" in gate.output
    assert "The client does not act on these answers with this policy." in gate.output
    # The builds' logits differ; whether the threshold survives that is for the evidence to say.
    assert gate.exit_code == (0 if f"act {policy.thresholds.act:g}: holds" in gate.output else 1)
