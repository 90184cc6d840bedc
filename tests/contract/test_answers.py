"""What an answer says, with an engine in memory."""

import hashlib
import math
from dataclasses import replace

import numpy as np
import pytest

from semif.decision import Option, Timing
from semif.engine import Scored, Work
from semif.prompt import criterion_text, evidence_text
from semif.scoring import read_out
from semif.wire import answer_body
from tests.contract.application import IDENTITY, Served, decision


def test_single_decision_answers_every_promised_field() -> None:
    """A single decision comes back with the fields of the contract, computed from the engine's logits."""
    served = Served()

    response = served.post({"decision": decision()})

    result = response.json()["result"]
    work = served.engine.works[0]
    assert response.status_code == 200
    assert set(response.json()) == {"result"}
    assert result["id"] == "d1"
    assert result["forward_seconds"] == 0.25 + 0.5  # the state's and the question's
    assert result["option_ids"] == ["yes", "no"]
    assert result["choice"] in result["option_ids"]
    assert sum(result["probabilities"]) == pytest.approx(1.0, abs=1e-12)
    assert result["answer_token_ids"] == [65, 66]
    assert result["input_tokens"] == len(work.prefix) + len(work.suffixes[0])
    assert result["model"] == IDENTITY.as_json()
    assert result["prompt_version"] == "direct-options-v1"
    assert result["readout"] == (
        "quantized last-position logits restricted to declared answer slots; no generated tokens"
    )
    assert "uncalibrated" in result["probability_status"]
    assert len(result["prompt_sha256"]) == 64
    assert 0 < result["allowed_token_mass"] <= 1
    assert {
        "full_vocab_argmax_id",
        "forward_seconds",
        "total_seconds",
        "option_logits",
        "tie",
        "low_mass",
        "low_margin",
    } <= set(result)


def test_tie_goes_to_the_first_declared_option() -> None:
    """Exactly equal logits choose the first declared option and say so."""
    served = Served()
    served.engine.logits = np.zeros(300, dtype=np.float32)

    result = served.post({"decision": decision()}).json()["result"]

    assert (result["choice"], result["tie"]) == ("yes", True)
    assert result["probabilities"] == [0.5, 0.5]


def test_answer_equals_the_readout_of_the_engines_logits() -> None:
    """The numbers in the answer are the readout's, unrounded."""
    served = Served()
    logits = np.linspace(-3, 3, 300, dtype=np.float32)
    served.engine.logits = logits

    result = served.post({"decision": decision()}).json()["result"]

    expected = read_out(logits, (65, 66))
    assert result["option_logits"] == list(expected.option_logits)
    assert result["probabilities"] == list(expected.probabilities)
    assert result["allowed_token_mass"] == expected.allowed_token_mass


def test_questions_decoded_together_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each answer names the path it was served on; the rest of the record is the same."""
    served = Served()
    score = served.engine.score

    def together(work: Work, *, deadline: float | None = None) -> Scored:
        return replace(score(work, deadline=deadline), together=(2, 2, 1))

    monkeypatch.setattr(served.engine, "score", together)
    asked = [decision(id=name, question=f"{name}?") for name in ("first", "second", "third")]

    models = [result["model"] for result in served.post({"decisions": asked}).json()["results"]]

    assert [model["serving_path"] for model in models] == ["fan-out", "fan-out", "canonical"]
    assert [model | {"serving_path": "canonical"} for model in models] == [IDENTITY.as_json()] * 3


def test_an_answer_that_holds_no_number_is_never_written() -> None:
    """JSON has no NaN, so there is no answer with one, whatever computed it."""
    with pytest.raises(ValueError, match="JSON"):
        answer_body((), {}, Timing(1, 1, math.nan, 0.0, 0.0, 1, 1))


def test_a_prompts_digest_is_that_of_the_whole_prompt() -> None:
    """Head, evidence, criterion and tail, in both forms."""
    served = Served()
    asked = decision()
    payload = evidence_text(asked["state"]) + criterion_text(
        asked["question"], [Option(each["id"], each["description"]) for each in asked["options"]]
    )
    expected = hashlib.sha256(served.frame.prompt(payload).encode()).hexdigest()

    single = served.post({"decision": asked}).json()["result"]
    shared = served.post({"decisions": [decision(id="other", question="Another?"), asked]}).json()["results"]

    assert single["prompt_sha256"] == shared[1]["prompt_sha256"] == expected
    assert shared[0]["prompt_sha256"] != expected
