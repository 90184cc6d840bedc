"""What counts as an answer to what was asked."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision_client.errors import ModelFailureError
from decision_client.reply import answers
from decision_client.request import Asked
from decision_client.scores import calibrated
from decision_client.transport import Reply
from tests.unit.decision_client.samples import DEFINITION, IDENTITY
from tests.unit.decision_client.scripted import answered

ONE = (Asked("d1", "s", DEFINITION),)
TWO = (Asked("d1", "s", DEFINITION), Asked("d2", "s", DEFINITION))


def changed(path: str, value: Any) -> Reply:
    """The sample answer with one field replaced, `...` for taken away."""
    body = json.loads(answered().body)
    *way, last = path.split(".")
    place = body
    for step in way:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return Reply(200, json.dumps(body).encode())


def test_answers_come_in_the_order_asked() -> None:
    """One result to one decision, several with their timing to several."""
    (one,), none = answers(answered(), ONE)
    many, timing = answers(answered("d1", "d2"), TWO)

    assert (one.id, none) == ("d1", None)
    assert ([each.id for each in many], timing) == (["d1", "d2"], {"batch_size": 2})


def test_timing_holds_figures_alone() -> None:
    """What is none is left out, since nothing is decided by it."""
    body = json.loads(answered("d1", "d2").body)
    body["timing"] = {"prefix_tokens": 7, "prefill_seconds": "canary", "total_seconds": [1], "batch_size": -1}

    _, timing = answers(Reply(200, json.dumps(body).encode()), TWO)
    del body["timing"]
    _, none = answers(Reply(200, json.dumps(body).encode()), TWO)

    assert (timing, none) == ({"prefix_tokens": 7}, None)


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("result.id", "d2", "id: "),
        ("result.option_ids", ["billing", "account", "none"], "option_ids: "),
        ("result.option_ids", ["account", "billing", "canary"], "option_ids: "),
        ("result.option_ids", ["account", "billing"], "differ in length"),
        ("result.prompt_version", "canary-v2", "prompt_version: "),
        ("result.model.prompt_version", "canary-v2", "prompt_version: "),
        ("result.choice", "billing", "choice: "),
        ("result.choice", "canary", "choice: "),
        ("result.probabilities", [0.9, 0.05, 0.05], "probabilities: "),
        ("result.option_logits", [1.0, 3.0, 0.0], "probabilities: "),
        ("result.probabilities", ["canary", 0, 0], "probabilities.0: "),
        ("result.probabilities", [0.8438947, 0.1141, 0.042], "probabilities: "),
        ("result.tie", True, "tie: "),
        ("result.input_tokens", 0, "input_tokens: "),
        ("result.model", ..., "model: missing"),
        ("result.model.gguf.sha256", "canary", "model.gguf.sha256: "),
        ("result.model.anything", "\ud800", "model: has no digest"),
        ("result", "canary", "result: "),
        ("result", ..., "form"),
    ],
)
def test_answer_that_does_not_fit_is_a_model_failure(path: str, value: Any, rule: str) -> None:
    """The rule is named, nothing of the answer is repeated, and it is not asked again."""
    with pytest.raises(ModelFailureError, match=rule) as caught:
        answers(changed(path, value), ONE)

    assert "canary" not in str(caught.value)
    assert (caught.value.status, caught.value.code) == (200, "invalid_answer")
    assert caught.value.__context__ is None


def test_prompt_version_that_this_client_does_not_know_is_a_model_failure() -> None:
    """Also where the whole answer speaks of it: the question may have been put differently."""
    newer = answered(prompt_version="direct-options-v2", model=IDENTITY | {"prompt_version": "direct-options-v2"})

    with pytest.raises(ModelFailureError, match="prompt_version: is not the one this client knows"):
        answers(newer, ONE)


@pytest.mark.parametrize(("choice", "tie", "rule"), [("billing", True, "choice: "), ("account", False, "tie: ")])
def test_equal_options_are_a_tie_for_the_first(choice: str, tie: bool, rule: str) -> None:  # noqa: FBT001 - a parameter of a table
    """Of two with the greatest logit the first declared is chosen, and the answer says that there are two."""
    scores: dict[str, Any] = {"option_logits": [1.0, 1.0, 0.0], "probabilities": calibrated([1.0, 1.0, 0.0], 1.0)}

    (found,), _ = answers(answered(choice="account", tie=True, **scores), ONE)
    with pytest.raises(ModelFailureError, match=rule):
        answers(answered(choice=choice, tie=tie, **scores), ONE)

    assert found.choice == "account"


@pytest.mark.parametrize(
    "reply",
    [
        answered("d2", "d1"),
        answered("d1", "d1"),
        answered("d1", "d2", "d3"),
        answered(),
        Reply(200, b'{"results": {}}'),
    ],
)
def test_results_of_other_decisions_are_a_model_failure(reply: Reply) -> None:
    """Each decision has exactly one result, in its place, in the form that was asked for."""
    with pytest.raises(ModelFailureError):
        answers(reply, TWO)
    with pytest.raises(ModelFailureError):
        answers(answered("d1", "d2"), ONE)


@pytest.mark.parametrize("body", [b"", b"canary", b"\xff", b"[" * 100_000, b'{"result": NaN}', b"null", b"[]", b"7"])
def test_body_that_is_no_answer_is_a_model_failure(body: bytes) -> None:
    """Whatever came with 200."""
    with pytest.raises(ModelFailureError) as caught:
        answers(Reply(200, body), ONE)
    assert "canary" not in str(caught.value)


def test_constants_that_json_does_not_have_are_a_model_failure() -> None:
    """A container that computed no number says so in no field."""
    reply = Reply(200, answered().body.replace(b'"forward_seconds": 0.1', b'"forward_seconds": NaN'))

    with pytest.raises(ModelFailureError):
        answers(reply, ONE)


def test_fields_that_a_newer_container_adds_are_accepted() -> None:
    """They are left alone in an answer, and belong to the digest of an identity."""
    (plain,), _ = answers(answered(), ONE)
    (more,), _ = answers(changed("result.more", 1), ONE)
    (other,), _ = answers(changed("result.model", {**IDENTITY, "more": 1}), ONE)

    assert more == plain
    assert other.model.sha256 != plain.model.sha256


@given(position=st.integers(0, 10_000), byte=st.integers(0, 255))
def test_damaged_answer_is_an_answer_or_a_model_failure(position: int, byte: int) -> None:
    """One byte changed anywhere raises nothing else, and never another choice."""
    body = bytearray(answered().body)
    body[position % len(body)] = byte

    try:
        (answer,), _ = answers(Reply(200, bytes(body)), ONE)
    except ModelFailureError:
        return
    assert (answer.id, answer.choice, answer.option_ids) == ("d1", "account", DEFINITION.option_ids)
