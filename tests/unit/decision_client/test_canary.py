"""Nothing of what was asked hangs on an exception, however deep one looks."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from decision_client.client import DecisionClient
from decision_client.errors import DecisionError
from decision_client.http_transport import HttpTransport
from decision_client.transport import Reply
from tests.unit.decision_client.listening import Answer, cut_off, hangs_up, listening, says, stays_silent
from tests.unit.decision_client.samples import DEFINITION
from tests.unit.decision_client.scripted import FakeTime, ScriptedTransport, answered, refused

CANARY = "canary-19be"
ASKED = DEFINITION.model_copy(
    update={
        "question": CANARY,
        "options": tuple(each.model_copy(update={"description": CANARY}) for each in DEFINITION.options),
    }
)


def failed(transport: Any, state: Any) -> DecisionError:
    """Ask, and return what was raised."""
    time = FakeTime()
    client = DecisionClient(transport, deadline_seconds=0.3, clock=time.clock, sleep=time.sleep)
    with pytest.raises(DecisionError) as caught:
        client.decide(ASKED, state, decision_id="d1")
    return caught.value


def hanging_on(error: BaseException | None) -> Iterator[BaseException]:
    """The exception, what caused it and what was handled when it was raised, and theirs."""
    while error is not None:
        yield error
        if error.__cause__ is not None:
            yield from hanging_on(error.__cause__)
        error = error.__context__


def shown(error: BaseException) -> str:
    """Every text form of an exception, and of each value of our own classes in a frame of its traceback."""
    parts = [str(error), repr(error), str(vars(error)), str(getattr(error, "__notes__", ""))]
    trace = error.__traceback__
    while trace is not None:
        for value in trace.tb_frame.f_locals.values():
            if type(value).__module__.startswith("decision_client"):
                parts += [str(value), repr(value)]
        trace = trace.tb_next
    return "\n".join(parts)


STATES = {
    "text": f"{CANARY} in a text",
    "object": {CANARY: [CANARY]},
    "array": [CANARY],
    "not finite": [CANARY, float("nan")],
    "no JSON": {CANARY: {7}},
    "half a surrogate pair": {CANARY: "\ud800"},
}
SAID = {"error": CANARY, "code": CANARY, "field": f"decision.state.{CANARY}", "result": CANARY}
ECHOED = json.dumps(SAID).encode()
REPLIES: list[Reply] = [
    *(Reply(status, ECHOED) for status in (200, 301, 400, 403, 404, 413, 429, 500, 503, 504)),
    Reply(200, CANARY.encode()),
    answered("another"),
    answered(tie=True),
    refused(400, "prompt_too_long", error=f"prompt of 7 tokens {CANARY}; at most 5 are allowed"),
]


@pytest.mark.parametrize("state", STATES.values(), ids=STATES.keys())
def test_nothing_of_a_request_hangs_on_the_exception_for_a_reply(state: Any) -> None:
    """Whatever the endpoint says of it, and where nothing is sent."""
    for reply in REPLIES:
        for error in hanging_on(failed(ScriptedTransport([reply]), state)):
            assert CANARY not in shown(error), reply.status


@pytest.mark.parametrize(
    "answer",
    [
        *(says(status, ECHOED, X_Canary=CANARY) for status in (200, 400, 500, 503)),
        says(307, ECHOED, Location=f"/{CANARY}"),
        hangs_up,
        cut_off,
        stays_silent,
    ],
)
def test_nothing_of_a_request_hangs_on_the_exception_for_a_connection(answer: Answer) -> None:
    """Nor on what the library raised about it."""
    with listening(answer) as container:
        error = failed(HttpTransport(container.url), {CANARY: CANARY})

    assert not [each for each in hanging_on(error) if CANARY in shown(each)]
