"""One request until it is answered, refused for good, or out of time."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision_client.asking import Attempted, ask
from decision_client.errors import (
    DeadlineExceededError,
    DecisionError,
    EndpointBusyError,
    EndpointNotFoundError,
    InvalidRequestError,
    ModelFailureError,
    NoAnswerError,
    NotAllowedError,
    NotConnectedError,
)
from decision_client.request import Asked, invalid
from decision_client.retries import RetryRules
from tests.unit.decision_client.samples import DEFINITION
from tests.unit.decision_client.scripted import FakeTime, ScriptedTransport, answered, refused, statuses

ASKED = (Asked("d1", "the state", DEFINITION),)


def asked(transport: ScriptedTransport, chance: float = 0.0, **changed: Any) -> Attempted:
    """Ask the sample decision by a transport, in its time."""
    time = transport.time
    return ask(transport, ASKED, **{"clock": time.clock, "sleep": time.sleep, "random": lambda: chance, **changed})


@pytest.mark.parametrize(
    ("replies", "attempts"), [([200], 1), ([503, 200], 2), ([429, 503, 429, 200], 4), ([503, 500, 503, 200], 4)]
)
def test_asking_goes_on_until_there_is_an_answer(replies: list[int], attempts: int) -> None:
    """Refusals for lack of capacity are sent again any number of times, a failure among them once."""
    transport = ScriptedTransport(statuses(replies))

    attempted = asked(transport)

    assert (attempted.attempts, len(set(transport.bodies))) == (attempts, 1)
    assert attempted.answers[0].choice == "account"
    assert attempted.refusals == sum(status in {429, 503} for status in replies)
    assert attempted.seconds == attempted.waited_seconds == sum(transport.time.slept)


@pytest.mark.parametrize("status", [500, 502, 504])
def test_failure_is_asked_again_once(status: int) -> None:
    """After the second one it is a model failure that says how often it was sent."""
    transport = ScriptedTransport(statuses([status]))

    with pytest.raises(ModelFailureError) as caught:
        asked(transport)

    assert (caught.value.status, caught.value.attempts) == (status, 2)


def test_failures_of_different_kinds_share_the_one_retry() -> None:
    """500 and then 504 is the end, whatever comes between them."""
    transport = ScriptedTransport(statuses([500, 503, 504, 200]))

    with pytest.raises(ModelFailureError) as caught:
        asked(transport)

    assert (caught.value.status, caught.value.attempts, caught.value.refusals) == (504, 3, 1)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((status, InvalidRequestError) for status in (400, 405, 408, 409, 413, 415, 422)),
        *((status, NotAllowedError) for status in (401, 403)),
        (404, EndpointNotFoundError),
        *((status, ModelFailureError) for status in (204, 301)),
    ],
)
def test_what_would_be_refused_again_is_sent_once(status: int, kind: type[DecisionError]) -> None:
    """A client's error, and what is no answer at all, is raised at once."""
    transport = ScriptedTransport(statuses([status]))

    with pytest.raises(DecisionError) as caught:
        asked(transport)

    assert (type(caught.value), caught.value.attempts, transport.time.slept) == (kind, 1, [])


@pytest.mark.parametrize("kind", [NoAnswerError, NotConnectedError])
def test_broken_connection_is_tried_again_once(kind: type[DecisionError]) -> None:
    """Nobody knows how far it came, and a decision may be asked twice."""
    assert asked(ScriptedTransport([kind("broke"), answered()])).attempts == 2
    with pytest.raises(kind) as caught:
        asked(ScriptedTransport([kind("broke")]))
    assert caught.value.attempts == 2


def test_endpoint_that_does_not_exist_is_asked_once() -> None:
    """It will not be there in a second."""
    transport = ScriptedTransport([EndpointNotFoundError("gone")])

    with pytest.raises(EndpointNotFoundError):
        asked(transport)

    assert len(transport.bodies) == 1


def test_request_that_a_transport_does_not_send_is_no_attempt() -> None:
    """What is too large for the service is refused on this side, also after a refusal of the other."""
    scripts: list[tuple[list[Any], int]] = [
        ([invalid("too large", "")], 0),
        ([refused(503), invalid("too large", "")], 1),
    ]
    for replies, attempts in scripts:
        with pytest.raises(InvalidRequestError) as caught:
            asked(ScriptedTransport(list(replies)))
        assert caught.value.attempts == attempts


def test_wait_is_what_the_refusal_asks_for() -> None:
    """`retry_after_seconds` of the body is honoured each time, and up to half of it is added."""
    transport = ScriptedTransport(
        [refused(503, retry_after_seconds=7), refused(503, retry_after_seconds=7), answered()]
    )

    asked(transport, chance=1.0)

    assert transport.time.slept == [7 * 1.5, 7 * 1.5]


def test_wait_that_would_pass_the_deadline_is_not_begun() -> None:
    """Who cannot be answered in time hears so at once, as busy, and sleeps no second."""
    transport = ScriptedTransport([refused(503, retry_after_seconds=60)])

    with pytest.raises(EndpointBusyError) as caught:
        asked(transport, deadline_seconds=60)

    assert (transport.time.slept, caught.value.attempts, caught.value.retry_after_seconds) == ([], 1, 60)


def test_silence_until_the_deadline_is_named_so() -> None:
    """An attempt is given what is left, and when that is over the deadline has passed."""
    transport = ScriptedTransport([refused(503), NoAnswerError("silent")], seconds=30)

    with pytest.raises(DeadlineExceededError) as caught:
        asked(transport, deadline_seconds=40)

    assert transport.timeouts == [40, 9]
    assert (caught.value.attempts, caught.value.waited_seconds) == (2, 1)


def test_sleep_that_takes_too_long_begins_no_attempt() -> None:
    """A machine that was asleep itself finds the deadline passed and asks nobody."""
    transport = ScriptedTransport([refused(503)])

    def slept(_seconds: float) -> None:
        transport.time.now += 1000

    with pytest.raises(EndpointBusyError):
        asked(transport, sleep=slept)
    assert len(transport.bodies) == 1


@pytest.mark.parametrize("replies", [[answered()], [refused(503), answered()]])
def test_attempt_never_gets_less_than_no_time(replies: list[Any]) -> None:
    """A clock that moves with each look at it begins no attempt when the deadline has passed since the last look."""
    transport = ScriptedTransport(replies)

    def clock() -> float:
        transport.time.now += 0.3
        return transport.time.now

    for hundredths in range(1, 1000, 7):
        script = ScriptedTransport(list(replies), transport.time)
        with contextlib.suppress(DeadlineExceededError, EndpointBusyError):
            asked(script, clock=clock, deadline_seconds=hundredths / 100)
        assert all(seconds > 0 for seconds in script.timeouts)


def test_deadline_that_passes_before_the_first_attempt_sends_nothing() -> None:
    """It is a deadline that passed, after no attempt."""
    transport, times = ScriptedTransport([answered()]), iter([0.0, 5.0])

    with pytest.raises(DeadlineExceededError) as caught:
        asked(transport, clock=lambda: next(times), deadline_seconds=5)

    assert (caught.value.attempts, transport.bodies) == (0, [])


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan")])
def test_deadline_is_a_time(seconds: float) -> None:
    """What is none is refused before anything is sent."""
    transport = ScriptedTransport([answered()])

    with pytest.raises(ValueError, match="deadline_seconds"):
        asked(transport, deadline_seconds=seconds)
    assert transport.bodies == []


ATTEMPTS = st.lists(
    st.one_of(
        st.builds(refused, st.sampled_from([429, 503]), retry_after_seconds=st.floats(0, 200)),
        st.builds(refused, st.sampled_from([500, 502, 504, 530]), code=st.just("internal")),
        st.builds(refused, st.sampled_from([400, 404, 413]), code=st.just("empty")),
        st.builds(NoAnswerError, st.just("silent")),
        st.builds(NotConnectedError, st.just("refused")),
        st.just(answered()),
    ),
    min_size=1,
    max_size=30,
)


@pytest.mark.rule(
    "A request is sent again within one deadline: busy any number of times, a failure once, a refusal for good never",
    tool="the client's own code, hypothesis",
    emulated="the endpoint's replies, and the time",
)
@given(
    replies=ATTEMPTS,
    seconds=st.floats(0, 90),
    deadline=st.floats(0.1, 300),
    chance=st.floats(0, 1),
    failures=st.integers(0, 3),
)
def test_retry_rules_hold_for_every_course(
    replies: list[Any], seconds: float, deadline: float, chance: float, failures: int
) -> None:
    """No attempt begins after the deadline or takes longer; failures stay within their number; no wait is too short."""
    transport = ScriptedTransport(list(replies), FakeTime(), seconds)
    rules = RetryRules(failures=failures)
    error: DecisionError | None = None
    try:
        attempts = asked(transport, chance, deadline_seconds=deadline, retries=rules).attempts
    except DecisionError as caught:
        error, attempts = caught, caught.attempts
    sent = [replies[min(index, len(replies) - 1)] for index in range(len(transport.bodies))]
    statuses_sent = [getattr(each, "status", None) for each in sent]

    assert attempts == len(transport.bodies) >= 1
    assert all(moment < 1000 + deadline for moment in transport.begun)
    assert transport.time.now <= 1000 + deadline + 1e-6
    assert all(0 < timeout <= deadline for timeout in transport.timeouts)
    assert (statuses_sent[-1] == 200) == (error is None)
    assert not {200, 400, 404, 413} & set(statuses_sent[:-1])
    assert sum(status not in {429, 503, 200, 400, 404, 413} for status in statuses_sent[:-1]) <= failures
    for wait, reply in zip(transport.time.slept, sent, strict=False):
        asked_for = least_wait(reply)
        assert asked_for <= wait <= 1.5 * max(rules.cap_seconds, asked_for)


def least_wait(reply: Any) -> float:
    """What a reply asks for at least."""
    if isinstance(reply, DecisionError):
        return 1.0
    return float(json.loads(reply.body).get("retry_after_seconds", 1.0))
