"""The client against the container's own application, over real sockets with a toy engine behind."""

import json
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision_client.client import DecisionClient
from decision_client.definition import DecisionDefinition, Option
from decision_client.errors import EndpointBusyError, InvalidRequestError, ModelFailureError
from decision_client.http_transport import HttpTransport
from decision_client.outcome import Action, Reason
from decision_client.request import Asked, request_body
from decision_client.retries import RetryRules
from semif.decision import RequestError
from semif.tokens import control_token_pattern
from semif.wire import parse_request
from tests.contract.application import Served
from tests.contract.served_url import served_url
from tests.contract.toy import ToyVocabulary

CANARY = "canary-7f3a"
HOLDS = DecisionDefinition(
    name="holds",
    version="1",
    type="noul",
    question="Does it hold?",
    options=(Option(id="yes", description="It does."), Option(id="no", description="It does not.")),
)


def client(url: str, **more: Any) -> DecisionClient:
    """A client that does not wait between attempts."""
    return DecisionClient(HttpTransport(url), **{"sleep": lambda _seconds: None, **more})


@pytest.mark.rule(
    "The client's requests are the container's dialect, and its answers are read back whole",
    tool="the decision container's HTTP edge, urllib3",
    emulated="the engine behind it",
)
def test_decision_is_asked_and_answered() -> None:
    """Without a policy an answer is a suggestion; asked alone or with others, it has the same logits."""
    with served_url(Served()) as url:
        asking = client(url)
        alone = asking.decide(HOLDS, {"text": "한국어"}, decision_id="d1")
        shared = asking.decide_many({"d1": HOLDS, "d2": HOLDS}, {"text": "한국어"})

    assert alone.answer.option_ids == ("yes", "no")
    assert (alone.outcome.action, alone.outcome.reason) == (Action.REVIEW, Reason.NO_POLICY)
    assert [each.answer.option_logits for each in shared.values()] == [alone.answer.option_logits] * 2


def test_busy_container_is_asked_again() -> None:
    """Who finds no place waits as long as it was told to, and is answered then."""
    served, slept = Served(places=1), []
    served.engine.gate.clear()
    with served_url(served) as url:
        first = threading.Thread(target=lambda: client(url).decide(HOLDS, "first", decision_id="d1"))
        first.start()
        assert served.engine.entered.wait(20)

        def wait(seconds: float) -> None:
            slept.append(seconds)
            served.engine.gate.set()
            first.join()

        decision = client(url, sleep=wait, random=lambda: 0.0).decide(HOLDS, "s", decision_id="d2")

    refused = [line for line in served.lines() if line["status"] == 503]
    assert decision.answer.id == "d2"
    assert slept == [refused[0]["retry_after_seconds"]]
    assert len(refused) == 1


@pytest.mark.parametrize("size", [1, 200_000])
def test_busy_container_is_given_up_at_the_deadline(size: int) -> None:
    """The exception says what the container asked for, also where that did not read the body."""
    served = Served(places=1)
    served.engine.gate.clear()
    with served_url(served) as url:
        first = threading.Thread(target=lambda: client(url).decide(HOLDS, "first", decision_id="d1"))
        first.start()
        assert served.engine.entered.wait(20)
        with pytest.raises(EndpointBusyError) as caught:
            client(url, deadline_seconds=60, retries=RetryRules(first_seconds=60, cap_seconds=60)).decide(
                HOLDS, "s" * size, decision_id="d2"
            )
        served.engine.gate.set()
        first.join()

    assert (caught.value.status, caught.value.code, caught.value.attempts) == (503, "busy", 1)
    assert (caught.value.retry_after_seconds or 0) >= 1


@pytest.mark.parametrize(
    ("state", "count", "code", "said"),
    [
        (f"{CANARY} <|t|>", 1, "control_token", r"decision\.state"),
        ({CANARY: {"<think>": 1}}, 1, "control_token", r"decision\.state"),
        (CANARY * 200, 1, "prompt_too_long", "at most 1000"),
        (CANARY, 9, "too_many", "more decisions"),
        (CANARY * 100_000, 1, "body_too_large", "413"),
    ],
)
def test_refused_request_is_sent_once(state: Any, count: int, code: str, said: str) -> None:
    """The container's word and our words say why; nothing of the state is in the exception or the container's log."""
    served = Served()
    with served_url(served) as url, pytest.raises(InvalidRequestError, match=said) as caught:
        client(url).decide_many({f"d{number}": HOLDS for number in range(count)}, state)

    assert (caught.value.code, caught.value.attempts) == (code, 1)
    assert CANARY not in repr(caught.value) + str(vars(caught.value)) + served.stream.getvalue()


def test_failing_engine_is_asked_twice() -> None:
    """A fault of the container may be gone the next time, and is a model failure if not."""
    served = Served()
    served.engine.failure = ZeroDivisionError(CANARY)
    with served_url(served) as url, pytest.raises(ModelFailureError) as caught:
        client(url).decide(HOLDS, CANARY, decision_id="d1")

    assert (caught.value.status, caught.value.code, len(served.engine.works)) == (500, "internal", 2)
    assert CANARY not in str(caught.value) + served.stream.getvalue()


TEXT = st.text(st.characters(exclude_categories=()), max_size=8)
STATES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@given(state=STATES, ids=st.lists(TEXT, min_size=1, max_size=3), question=TEXT.filter(bool))
def test_client_and_container_refuse_the_same(state: Any, ids: list[str], question: str) -> None:
    """What the client sends is read back as it was meant; what it does not send, the container would refuse."""
    definition = HOLDS.model_copy(update={"question": question})
    asked = [Asked(each, state, definition) for each in ids]
    try:
        body = request_body(asked)
    except InvalidRequestError:
        with pytest.raises(RequestError):
            parse_request(unchecked(asked), 8, None)
        return
    request = parse_request(body, 8, None)
    assert [each.id for each in request.decisions] == ids
    assert all(repr(each.state) == repr(state) and each.question == question for each in request.decisions)


@pytest.mark.parametrize(
    ("ids", "state"),
    [
        (["d1"], ""),
        (["d1"], {}),
        (["d1"], 7),
        (["d1"], [float("nan")]),
        (["d1"], {"x": "\ud800"}),
        ([""], "s"),
        (["d1", "d1"], "s"),
    ],
)
def test_client_and_container_have_one_word_for_a_refusal(ids: list[str], state: Any) -> None:
    """A program tells the same codes apart, wherever the rule was applied."""
    asked = [Asked(each, state, HOLDS) for each in ids]

    with pytest.raises(InvalidRequestError) as ours:
        request_body(asked)
    with pytest.raises(RequestError) as theirs:
        parse_request(unchecked(asked), 8, None)

    assert ours.value.code == theirs.value.code


def unchecked(asked: list[Asked]) -> bytes:
    """The body that a client without checks would send."""
    options = [{"id": option.id, "description": option.description} for option in HOLDS.options]
    listed = [
        {"id": each.id, "state": each.state, "question": each.definition.question, "options": options} for each in asked
    ]
    body = {"decision": listed[0]} if len(listed) == 1 else {"decisions": listed}
    return json.dumps(body).encode()


def test_control_tokens_are_the_containers_to_find() -> None:
    """The client knows no vocabulary: what would forge a turn is sent, and refused there."""
    body = request_body([Asked("d1", "<|t|>", HOLDS)])

    with pytest.raises(RequestError, match="control token"):
        parse_request(body, 8, control_token_pattern(ToyVocabulary()))
