"""From labelled decisions to an application that acts, and to the gate of an image's change: with a real model."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from decision_client.client import DecisionClient
from decision_client.definition import read_definition
from decision_client.http_transport import HttpTransport
from decision_client.outcome import Action
from decision_client.policy import read_policy
from tests.contract.labelled_story import act, check, correct, own_choices, run
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


def _bench(url: str, rows: Path, out: Path) -> Path:
    definitions = TASKS / "definitions"
    done = run("bench", url, "--tasks", rows, "--definitions", definitions, "--out", out)
    assert done.exit_code == 0, done.output
    return out


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
    labels = own_choices(results, tmp_path / "labels.jsonl")
    made = run("calibrate", results, *RISK, "--labels", labels, "--out", tmp_path / "policies")
    assert made.exit_code == 0, made.output
    file = tmp_path / "policies" / "support-route-1.toml"
    policy = read_policy(file)

    trail = tmp_path / "audit.jsonl"
    states = {
        f"case-{number}": json.loads(line)["state"]
        for number, line in enumerate(rows.read_text(encoding="utf-8").splitlines())
    }
    decided = act(url, file, DEFINITION, dict(list(states.items())[:6]), trail)
    assert Action.ACT in {each.outcome.action for each in decided.values()}
    correct(decided, trail)
    found = json.loads(check(trail, file).output)
    assert (found["answers"], found["differences"], found["thresholds"][0]["tested"][0]["wrong"]) == (6, [], 0)

    with serving(environment(SMOLLM2, SMOLLM2_PROMPT, {"SEMIF_LLAMA_DIR": str(OTHER_LLAMA)})) as other:
        elsewhere = str(other.client.base_url)
        there = DecisionClient(HttpTransport(elsewhere), policies=[policy])
        refused = there.decide(DEFINITION, states["case-0"], decision_id="case-0")
        gate = run("calibrate", _bench(elsewhere, rows, tmp_path / "other.jsonl"), "--labels", labels, "--check", file)
    assert (refused.outcome.action, refused.outcome.mismatch) == (Action.REVIEW, "binding.library_sha256")
    assert "binding.library_sha256: the policy is for" in gate.output
    assert "The client does not act on these answers with this policy." in gate.output
    # The builds' logits differ; whether the threshold survives that is for the evidence to say.
    assert gate.exit_code == (0 if f"act {policy.thresholds.act:g}: holds" in gate.output else 1)
