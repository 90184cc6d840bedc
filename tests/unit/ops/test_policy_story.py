"""The whole way of a policy, typed: bench, calibrate, act, review or abstain, audit, override, check."""

import json
from collections import Counter
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from decision_client.audit.correction import correction
from decision_client.audit.keyed_hash import LocalKey
from decision_client.audit.recording import Audit
from decision_client.audit.trail import read_trail
from decision_client.audit.trail_file import TrailFile
from decision_client.client import DecisionClient
from decision_client.decided import Decision
from decision_client.http_transport import HttpTransport
from decision_client.outcome import Action, Reason
from decision_client.policy import read_policy
from tests.unit.ops.recorded_decision import run
from tests.unit.ops.served_scorer import DEFINITION, KnownScorer, served

RISK = ("--target-risk", "0.1", "--review-risk", "0.22", "--min-margin", "0")
LABELS = ASKED = 400


def _labelled(folder: Path, scorer: KnownScorer) -> Path:
    options = ", ".join(f'{{ id = "{each.id}", description = "{each.description}" }}' for each in DEFINITION.options)
    words = f'name = "{DEFINITION.name}"\nversion = "1"\nquestion = "{DEFINITION.question}"\nabstain_option = "none"\n'
    (folder / "definitions").mkdir()
    (folder / "definitions" / "known-truth.toml").write_text(f"{words}options = [{options}]\n")
    rows = [
        {"id": f"t{case}", "definition": "known-truth", "state": {"case": case}, "gold": scorer.gold(case)}
        for case in range(LABELS)
    ]
    file = folder / "rows.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def _decided(url: str, policy: Path, trail: Path, scorer: KnownScorer, first: int) -> dict[int, Decision]:
    """Ask new cases as an application does, and have somebody say of each what is right, the first by the command."""
    ids = count()
    audit = Audit(TrailFile(trail), LocalKey("test", bytes(32)), new_id=lambda: f"r{next(ids)}")
    client = DecisionClient(HttpTransport(url), policies=[read_policy(policy)], on_decision=audit)
    cases = range(first, first + ASKED)
    decided = {case: client.decide(DEFINITION, {"case": case}, decision_id=f"case-{case}") for case in cases}
    said = run("override", f"case-{first}", "--trail", trail, "--choice", scorer.gold(first), "--by", "ana")
    assert said.exit_code == 0, said.output
    read = read_trail([trail])
    at = datetime.now(UTC)
    others = [correction(read, f"case-{case}", scorer.gold(case), "ana", at) for case in cases if case != first]
    TrailFile(trail).append(others)
    return decided


def _checked(trail: Path, policy: Path) -> tuple[int, dict[str, Any]]:
    result = run("calibrate", trail, "--check", policy, "--unseen", "--json")
    return result.exit_code, json.loads(result.output)


@pytest.mark.rule(
    "A scorer that is right as often as it says gets a policy that acts, reviews and abstains; corrections show that "
    "it holds, and which threshold is broken once the scorer is wrong more often",
    tool="the operator's commands, the client, real sockets",
    emulated="the scorer",
)
def test_policy_of_a_scorer_with_known_truth_is_made_acted_upon_and_checked(tmp_path: Path) -> None:
    """Each step takes the file that the one before has left."""
    scorer, policy = KnownScorer(), tmp_path / "policies" / "known-truth-1.toml"
    rows, results = _labelled(tmp_path, scorer), tmp_path / "results.jsonl"
    with served(scorer) as url:
        assert run("bench", url, "--tasks", rows, "--out", results).exit_code == 0
        made = run("calibrate", results, *RISK, "--out", policy.parent)
        assert made.exit_code == 0, made.output
        decided = _decided(url, policy, tmp_path / "audit.jsonl", scorer, LABELS)
        worse = KnownScorer(lost_below=0.9)
        _decided(url, policy, tmp_path / "later.jsonl", worse, LABELS + ASKED)

    thresholds = read_policy(policy).thresholds
    assert read_policy(policy).temperature == pytest.approx(1, rel=0.3)
    assert thresholds.act is not None
    assert thresholds.review is not None
    kinds = Counter((each.outcome.action, each.outcome.reason) for each in decided.values())
    assert set(kinds) == {
        (Action.ACT, Reason.PROBABILITY),
        (Action.REVIEW, Reason.PROBABILITY),
        (Action.ABSTAIN, Reason.PROBABILITY),
        (Action.ABSTAIN, Reason.ABSTAIN_OPTION),
    }
    acted = {case: each for case, each in decided.items() if each.outcome.action is Action.ACT}
    assert all(each.outcome.probability >= thresholds.act for each in acted.values())
    assert all(each.answer.choice != "none" for each in acted.values())
    wrong = sum(each.answer.choice != scorer.gold(case) for case, each in acted.items())

    told = json.loads(run("audit", tmp_path / "audit.jsonl", "--json").output)["total"]
    assert (told["asked"], told["acted"], told["acted_corrected"]) == (ASKED, len(acted), wrong)
    assert told["corrected"] + told["confirmed"] == ASKED

    code, found = _checked(tmp_path / "audit.jsonl", policy)
    act, review = found["thresholds"]
    assert (code, act["verdict"], review["verdict"], found["differences"]) == (0, "holds", "holds", [])
    assert (act["tested"][0]["covered"], act["tested"][0]["wrong"]) == (len(acted), wrong)
    code, found = _checked(tmp_path / "later.jsonl", policy)
    assert (code, [each["verdict"] for each in found["thresholds"]]) == (1, ["holds", "broken"])
