"""An answer that is not the pinned model's, prompt's or machine's fails the deployment, by the field that differs."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chat_answer
import decision_answer
from check_endpoint import ANSWER_BYTES, on_event
from config.loader import load
from constructs_lib.wanted_answer import WantedAnswer
from ops.ask import SUPPORT_ROUTE
from semif.golden import SUPPORT_ROUTE as PROVEN_AT_START
from semif.wire.request import parse_request
from tests.unit.handlers.archives import request
from tests.unit.handlers.fake_endpoint import (
    WANTED_COMPLETION,
    WANTED_RESULT,
    FakeEndpoint,
    busy,
    completion,
    failed,
    properties,
    refusal,
)
from tests.unit.handlers.fake_endpoint import decision_answer as right_answer
from tests.unit.handlers.test_check_endpoint import JSON, at, paths, put, same


def refused(answer: object, kind: str = "decision") -> str:
    """Return the sentence about one answer."""
    said = refusal(FakeEndpoint(answer=answer), properties(kind))
    assert said.startswith("Endpoint semif-dev-decision does not answer as pinned: ")
    return said


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

    said = refused(answer)

    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    assert f"answer.result{field}: wanted {json.dumps(at(WANTED_RESULT, path))}, found {json.dumps(other)}" in said


@pytest.mark.parametrize("field", [*WANTED_RESULT["model"], "layers_offloaded", "layers_total", "backend", "llama_cpp"])
def test_field_that_is_missing_from_the_record_is_refused(field: str) -> None:
    """A record that does not tell a field does not match it."""
    answer = right_answer()
    del answer["result"]["model"][field]

    assert f"answer.result.model.{field}" in refused(answer)


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
def test_numbers_that_are_no_decision_are_refused(probabilities: object, choice: str, said: str) -> None:
    """There is a probability for each option, they sum to one, and the choice is the likeliest."""
    answer = right_answer()
    answer["result"] |= {"probabilities": probabilities, "choice": choice}

    assert said in refused(answer)


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
def test_layers_that_are_not_where_they_were_asked_for_are_refused(
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
        assert 'answer.result.model.context_tokens: wanted "at least 4096"' in refused(answer)


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
    sentence = refused(answer)

    assert said in sentence
    assert "secret" not in sentence


def changed(change: dict[str, Any]) -> dict[str, Any]:
    """Return a completion with its first choice changed."""
    answer = completion()
    answer["choices"][0] |= change
    return answer


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (completion() | {"model": "other.gguf"}, 'answer.model: wanted "Qwen.gguf", found "other.gguf"'),
        (completion() | {"model": None}, "answer.model"),
        (completion() | {"object": "text_completion"}, "answer.object"),
        (completion() | {"choices": []}, "answer.choices: their number: wanted 1, found 0"),
        (completion() | {"choices": None}, "answer.choices"),
        (completion() | {"choices": completion()["choices"] * 2}, "found 2"),
        (changed({"finish_reason": "error"}), "answer.choices[0].finish_reason"),
        (changed({"message": {"role": "assistant", "content": " \n"}}), "answer.choices[0].message.content"),
        (changed({"message": None}), "answer.choices[0].message.content"),
        (completion() | {"usage": {"prompt_tokens": 0, "completion_tokens": 8}}, "answer.usage.prompt_tokens"),
        (completion() | {"usage": {"prompt_tokens": 9, "completion_tokens": 17}}, "answer.usage.completion_tokens"),
        (completion() | {"usage": None}, "answer.usage.prompt_tokens"),
        ([], "answer: wanted"),
        (right_answer(), "answer.object: wanted"),
    ],
)
def test_completion_that_is_none_or_another_model_s_is_refused_by_the_field(answer: object, said: str) -> None:
    """Model, form, end, text and counts of tokens are what llama-server tells; a text itself is never repeated."""
    sentence = refused(answer, "chat")

    assert said in sentence
    assert "Paris" not in sentence


@pytest.mark.parametrize(
    "answer",
    [
        completion() | {"model": "/opt/ml/model/Qwen.gguf"},
        changed({"finish_reason": "length"}),
        changed({"message": {"role": "assistant", "content": "", "reasoning_content": "The user asks"}}),
        completion() | {"system_fingerprint": None},
    ],
)
def test_completion_in_another_form_of_llama_server_passes(answer: object) -> None:
    """Versions differ in how they name the file, and a model may spend its few tokens on thinking."""
    told = on_event(request("Create", properties("chat")), None, FakeEndpoint(answer=answer).clients)["Data"]

    assert isinstance(told, dict)
    assert told["Serves"].startswith("Qwen.gguf, llama.cpp ")


@pytest.mark.parametrize(
    "error",
    [
        failed("ModelNotReadyException"),
        failed("ThrottlingException"),
        failed("ServiceUnavailable"),
        busy(503, "busy"),
        busy(429, "busy"),
        busy(400, "too_slow_here"),
    ],
)
def test_what_passes_right_after_a_deployment_is_waited_for(error: Any) -> None:
    """An endpoint that is not ready, full, throttled, or judges its machine by its own start gets some minutes."""
    fake = FakeEndpoint(errors={"invoke_endpoint": [error] * 3})

    assert on_event(request("Create", properties()), None, fake.clients)["Data"]
    assert fake.slept == [2, 4, 8]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (busy(503, "busy"), "its container answered 503 to the known question"),
        (failed("ModelNotReadyException"), "(ModelNotReadyException)"),
        (busy(400, "too_slow_here"), "its container answered 400"),
    ],
)
def test_what_does_not_pass_is_refused_in_bounded_time(error: Any, said: str) -> None:
    """After seven minutes the last refusal stands, which leaves a function half of its time."""
    fake = FakeEndpoint(errors={"invoke_endpoint": [error] * 999})

    assert said in refusal(fake)
    assert 360 < sum(fake.slept) <= 420


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (busy(400, "control_token"), "its container answered 400 to the known question: "),
        (busy(500, "internal"), "its container answered 500"),
        (failed("ModelError", OriginalStatusCode=500, OriginalMessage="<html>" * 900), "answered 500"),
        (failed("ValidationError"), "does not answer: An error occurred (ValidationError)"),
    ],
)
def test_refusal_that_stays_is_told_at_once(error: Any, said: str) -> None:
    """What a container or the runtime refuses for good is not asked again."""
    fake = FakeEndpoint(errors={"invoke_endpoint": [error]})

    assert said in refusal(fake)
    assert fake.slept == []


def test_endpoint_without_a_known_question_is_compared_and_not_asked() -> None:
    """A server of embeddings completes nothing; what it runs is compared all the same."""
    fake, unasked = FakeEndpoint(), properties(changes={"Kind": "unasked", "Answer": "{}"})

    told = on_event(request("Create", unasked), None, fake.clients)["Data"]

    assert told == {"Serves": "not asked: its container answers no question that is known here"}
    assert fake.asked == []
    fake.endpoint["EndpointConfigName"] = "other"
    assert "EndpointConfigName" in refusal(fake, unasked)


def test_waiting_for_the_endpoint_and_for_its_answer_share_one_patience() -> None:
    """However a check spends its time, all of it is bounded once."""
    fake = FakeEndpoint(statuses=["Updating"] * 9, errors={"invoke_endpoint": [busy(503, "busy")] * 999})

    refusal(fake)

    assert sum(fake.slept) <= 420


def test_known_prompts_of_questions_never_reach_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a check that passes nor one that fails prints anything."""
    on_event(request("Create", properties()), None, FakeEndpoint().clients)
    refused({"result": {}})

    assert capsys.readouterr() == ("", "")
    assert WANTED_COMPLETION["model"] not in json.dumps(chat_answer.QUESTION)
