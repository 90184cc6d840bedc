"""An answer that is not the pinned model's, prompt's or machine's fails the deployment, by the field that differs."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import decision_answer
from check_endpoint import on_event
from config.loader import load
from constructs_lib.wanted_answer import WantedAnswer
from known_question import ANSWER_BYTES
from ops.ask import SUPPORT_ROUTE
from semif.golden import SUPPORT_ROUTE as PROVEN_AT_START
from semif.wire.request import parse_request
from tests.unit.handlers.archives import request
from tests.unit.handlers.changed_json import JSON, at, paths, put, same
from tests.unit.handlers.fake_endpoint import (
    WANTED_RESULT,
    FakeEndpoint,
    properties,
    refusal,
    refused_answer,
)
from tests.unit.handlers.fake_endpoint import decision_answer as right_answer


def test_question_is_the_one_whose_prompt_the_pin_knows() -> None:
    """Handler, operator's command and container hold the same decision, and what is wanted names it."""
    assert decision_answer.QUESTION == {"decision": SUPPORT_ROUTE}
    (parsed,) = parse_request(json.dumps(decision_answer.QUESTION).encode(), 1, None).decisions
    assert parsed == PROVEN_AT_START
    settings = load("dev")
    wanted = WantedAnswer.of_decision(settings.model, settings.decision, image_digest="").fields
    assert (wanted["id"], wanted["option_ids"]) == (parsed.id, [option.id for option in parsed.options])


@pytest.mark.rule(
    "an answer whose identity record or prompt differs from its pin fails the deployment, by the field",
    tool="the handler, driven directly",
    emulated="the answer",
)
@given(st.data())
def test_any_changed_field_of_the_record_is_refused_by_name(data: st.DataObject) -> None:
    """Whichever field that is known beforehand comes back with another value, the sentence names it and both values."""
    known = [path for path in paths(json.loads(json.dumps(WANTED_RESULT))) if path[-1] != "context_tokens"]
    path = data.draw(st.sampled_from(known))
    other = data.draw(JSON.filter(lambda value: not same(value, at(WANTED_RESULT, path))))
    answer = right_answer()
    put(answer["result"], path, other)

    said = refused_answer(answer)

    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    assert f"answer.result{field}: wanted {json.dumps(at(WANTED_RESULT, path))}, found {json.dumps(other)}" in said


@pytest.mark.parametrize("field", [*WANTED_RESULT["model"], "layers_offloaded", "layers_total", "backend", "llama_cpp"])
def test_field_that_is_missing_from_the_record_is_refused_answer(field: str) -> None:
    """A record that does not tell a field does not match it."""
    answer = right_answer()
    del answer["result"]["model"][field]

    assert f"answer.result.model.{field}" in refused_answer(answer)


@pytest.mark.parametrize(
    ("probabilities", "choice", "said"),
    [
        ([0.785, 0.079, 0.137], "account_access", "probabilities: their sum: wanted 1, found 1.001"),
        ([0.785, 0.215], "account_access", "probabilities: wanted"),
        ([1.785, -0.921, 0.136], "account_access", "probabilities: wanted"),
        ([0.785, 0.079, float("nan")], "account_access", "probabilities: wanted"),
        ([True, False, False], "account_access", "probabilities: wanted"),
        (None, "account_access", "probabilities: wanted"),
        ([0.079, 0.785, 0.136], "account_access", 'choice: wanted "billing", found "account_access"'),
    ],
)
def test_numbers_that_are_no_decision_are_refused_answer(probabilities: object, choice: str, said: str) -> None:
    """There is a probability for each option, they sum to one, and the choice is the likeliest."""
    answer = right_answer()
    answer["result"] |= {"probabilities": probabilities, "choice": choice}

    assert said in refused_answer(answer)


@pytest.mark.parametrize(
    ("asked", "told", "said"),
    [
        (-1, {"layers_offloaded": 36}, "layers_offloaded: wanted 37, found 36"),
        (-1, {"layers_offloaded": 0, "device": None}, "layers_offloaded: wanted 37, found 0"),
        (-1, {"device": None}, 'device: wanted "the name of a GPU", found null'),
        (20, {"layers_offloaded": 37, "n_gpu_layers": 20}, "layers_offloaded: wanted 20, found 37"),
        (0, {"layers_offloaded": 0, "n_gpu_layers": 0}, 'device: wanted null, found "NVIDIA L40S"'),
        (0, {"layers_offloaded": 0, "n_gpu_layers": 0, "device": None, "layers_total": 0}, "layers_total"),
    ],
)
def test_layers_that_are_not_where_they_were_asked_for_are_refused_answer(
    asked: int, told: dict[str, object], said: str
) -> None:
    """All, some or none on a GPU: what happened is compared with what was asked, and a device is there or is not."""
    answer, wanted = right_answer(), copy.deepcopy(dict(WANTED_RESULT))
    answer["result"]["model"] |= told
    wanted["model"]["n_gpu_layers"] = asked

    assert said in refusal(FakeEndpoint(answer=answer), properties(model=wanted["model"]))


@pytest.mark.parametrize(
    ("found", "passes"), [(4096, True), (4352, True), (4095, False), ("4096", False), (None, False)]
)
def test_context_holds_at_least_what_was_asked_for(found: object, *, passes: bool) -> None:
    """The container rounds it up and adds room for padding; less than asked for is a difference."""
    answer = right_answer()
    answer["result"]["model"]["context_tokens"] = found

    if passes:
        assert on_event(request("Create", properties()), None, FakeEndpoint(answer=answer).clients)["Data"]
    else:
        assert 'answer.result.model.context_tokens: wanted "at least 4096"' in refused_answer(answer)


def test_model_without_a_pinned_tokenizer_tells_none() -> None:
    """Where no tokenizer is pinned, a record that names one is not this stack's."""
    wanted = copy.deepcopy(WANTED_RESULT["model"]) | {"tokenizer": None}

    assert "tokenizer: wanted null" in refusal(FakeEndpoint(), properties(model=wanted))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", "answer: 0 bytes, no JSON"),
        (b"<html>secret", "answer: 12 bytes, no JSON"),
        (b" " * (ANSWER_BYTES + 1), f"answer: more than {ANSWER_BYTES} bytes"),
        ([], "answer.result: wanted"),
        ({}, "answer.result: wanted"),
        ({"result": {}}, "answer.result.model: wanted"),
        ({"result": {"model": 7}}, "answer.result.model: wanted"),
        ({"results": []}, "answer.result: wanted"),
    ],
)
def test_answer_of_another_shape_is_refused_without_its_text(answer: object, said: str) -> None:
    """A container of another kind behind the name is seen, and what it says is not repeated."""
    sentence = refused_answer(answer)

    assert said in sentence
    assert "secret" not in sentence
