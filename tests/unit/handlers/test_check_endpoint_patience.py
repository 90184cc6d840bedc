"""An endpoint that does not answer its known question yet is waited for, within bounds; what stays refused is told."""

import json
from typing import Any

import pytest

import chat_answer
from check_endpoint import on_event
from tests.unit.handlers.archives import request
from tests.unit.handlers.fake_endpoint import (
    WANTED_COMPLETION,
    FakeEndpoint,
    busy,
    failed,
    properties,
    refusal,
    refused_answer,
)


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
    refused_answer({"result": {}})

    assert capsys.readouterr() == ("", "")
    assert WANTED_COMPLETION["model"] not in json.dumps(chat_answer.QUESTION)
