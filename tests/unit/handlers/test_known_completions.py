"""A completion that is not the pinned model's fails the deployment, by the field that differs."""

from typing import Any

import pytest

from check_endpoint import on_event
from tests.unit.handlers.archives import request
from tests.unit.handlers.fake_endpoint import FakeEndpoint, completion, decision_answer, properties, refused_answer


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
        (decision_answer(), "answer.object: wanted"),
    ],
)
def test_completion_that_is_none_or_another_model_s_is_refused_by_the_field(answer: object, said: str) -> None:
    """Model, form, end, text and counts of tokens are what llama-server tells; a text itself is never repeated."""
    sentence = refused_answer(answer, "chat")

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
