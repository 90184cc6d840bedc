"""What an application gets, and what the keeper of records is told."""

import contextlib
import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

from decision_client.client import DecisionClient
from decision_client.decided import Decided
from decision_client.errors import (
    DeadlineExceededError,
    DecisionError,
    EndpointBusyError,
    InvalidRequestError,
    ModelFailureError,
    NoAnswerError,
    TooSlowHereError,
)
from decision_client.outcome import Action, Reason
from tests.unit.decision_client.samples import DEFINITION, IDENTITY, policy
from tests.unit.decision_client.scripted import FakeTime, ScriptedTransport, answered, refused

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
CANARY = "canary-7f3a"


def client(transport: ScriptedTransport, **more: Any) -> DecisionClient:
    """A client whose time is the transport's."""
    time: FakeTime = transport.time
    return DecisionClient(transport, clock=time.clock, sleep=time.sleep, random=lambda: 0.0, now=lambda: NOON, **more)


def test_decision_is_judged_by_the_policy_of_its_definition() -> None:
    """Answer, outcome and the policy that was applied come back."""
    applied = policy()

    decision = client(ScriptedTransport([answered()]), policies=[applied]).decide(DEFINITION, "s", decision_id="d1")

    assert (decision.answer.choice, decision.policy) == ("account", applied)
    assert (decision.outcome.action, decision.outcome.reason) == (Action.ACT, Reason.PROBABILITY)


@pytest.mark.parametrize(
    ("identity", "mismatch"),
    [
        ({"gguf": {**IDENTITY["gguf"], "sha256": "f" * 64}}, "binding.gguf_sha256"),
        ({"backend": "CUDA", "device": "L40S", "layers_offloaded": 3}, "runtime"),
    ],
)
def test_policy_made_for_another_model_or_device_is_not_acted_upon(identity: dict[str, Any], mismatch: str) -> None:
    """The answer is reviewed, and what the policy does not cover is named."""
    transport = ScriptedTransport([answered(model={**IDENTITY, **identity})])

    decision = client(transport, policies=[policy()]).decide(DEFINITION, "s", decision_id="d1")

    assert (decision.outcome.action, decision.outcome.reason) == (Action.REVIEW, Reason.POLICY_MISMATCH)
    assert (decision.outcome.mismatch, decision.outcome.calibrated) == (mismatch, False)


def test_policy_made_for_another_wording_is_not_acted_upon() -> None:
    """An edited question is another one, whether or not its version says so."""
    for edited in ({"question": "Which?"}, {"question": "Which?", "version": "2"}):
        asked = DEFINITION.model_copy(update=edited)
        decision = client(ScriptedTransport([answered()]), policies=[policy()]).decide(asked, "s", decision_id="d1")
        assert decision.outcome.reason == Reason.POLICY_MISMATCH


def test_policies_of_a_model_and_its_successor_are_given_together() -> None:
    """The one that covers the answer is applied, wherever it stands; of none, the first tells what is wrong."""
    newer = {**IDENTITY, "gguf": {**IDENTITY["gguf"], "sha256": "f" * 64}}
    old, other = (
        policy(version="old"),
        policy(version="other", definition={"name": "x", "version": "1", "sha256": "0" * 64}),
    )
    new = policy(version="new", binding={**old.binding.model_dump(), "gguf_sha256": "f" * 64})

    def applied(given: list[Any]) -> str | None:
        transport = ScriptedTransport([answered(model=newer)])
        decision = client(transport, policies=given).decide(DEFINITION, "s", decision_id="d1")
        return f"{decision.policy.version} {decision.outcome.reason}" if decision.policy else None

    assert applied([other, old, new]) == "new probability"
    assert applied([other, old]) == "old policy_mismatch"
    assert applied([other]) is None


def test_several_decisions_are_one_request() -> None:
    """Each comes back under its id."""
    transport = ScriptedTransport([answered("a", "b")])

    decisions = client(transport).decide_many({"a": DEFINITION, "b": DEFINITION}, {"x": 1})

    assert [(key, each.answer.id) for key, each in decisions.items()] == [("a", "a"), ("b", "b")]
    assert len(transport.bodies) == 1


def test_too_many_decisions_are_refused_and_not_split() -> None:
    """The endpoint says how many it takes; the error says so, once."""
    transport = ScriptedTransport([refused(400, "too_many", field="decisions")])

    with pytest.raises(InvalidRequestError, match="more decisions or options in one request") as caught:
        client(transport).decide_many({f"d{number}": DEFINITION for number in range(9)}, "s")

    assert (caught.value.code, len(transport.bodies)) == ("too_many", 1)


def test_record_keeper_is_told_of_every_answer() -> None:
    """One value for each decision, with all that a record needs."""
    told: list[Decided] = []
    transport = ScriptedTransport([refused(503, retry_after_seconds=3), answered("a", "b")], seconds=2)

    decisions = client(transport, on_decision=told.append, policies=[policy()]).decide_many(
        {"a": DEFINITION, "b": DEFINITION}, CANARY
    )

    assert [each.asked.id for each in told] == ["a", "b"]
    for each in told:
        assert each.decision == decisions[each.asked.id]
        assert (each.asked.state, each.asked.definition, each.at, each.error) == (CANARY, DEFINITION, NOON, None)
        assert (each.attempts, each.refusals, each.shared) == (2, 1, 2)
        assert (each.seconds, each.waited_seconds) == (7, 3)


@pytest.mark.parametrize(
    ("reply", "kind", "attempts"),
    [
        (refused(503), EndpointBusyError, 11),
        (refused(500, "internal"), ModelFailureError, 2),
        (refused(400, "control_token"), InvalidRequestError, 1),
        (refused(400, "too_slow_here"), TooSlowHereError, 1),
        (answered("another"), ModelFailureError, 1),
        (NoAnswerError("silent"), DeadlineExceededError, 1),
    ],
)
def test_record_keeper_is_told_of_every_failure(reply: Any, kind: type[DecisionError], attempts: int) -> None:
    """A decision that did not come back has a record too, and then the caller gets the exception."""
    told: list[Decided] = []
    transport = ScriptedTransport([reply], seconds=70 if isinstance(reply, NoAnswerError) else 0.5)

    with pytest.raises(kind) as caught:
        client(transport, on_decision=told.append).decide(DEFINITION, "s", decision_id="d1")

    (record,) = told
    assert (record.error, record.decision, record.attempts) == (caught.value, None, attempts)


def test_record_keeper_is_told_of_what_was_never_sent() -> None:
    """A malformed request of the application is an outcome of its decision."""
    told: list[Decided] = []
    transport = ScriptedTransport([answered()])

    with pytest.raises(InvalidRequestError):
        client(transport, on_decision=told.append).decide(DEFINITION, "", decision_id="d1")

    assert (told[0].attempts, transport.bodies) == (0, [])


def test_decision_that_cannot_be_recorded_does_not_come_back() -> None:
    """Nobody acts on what no record knows of."""

    def full(_decided: Decided) -> None:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        client(ScriptedTransport([answered()]), on_decision=full).decide(DEFINITION, "s", decision_id="d1")


@pytest.mark.parametrize(
    "reply", [answered(), refused(400, "empty", error=CANARY, field=CANARY), answered("x" + CANARY)]
)
def test_nothing_of_a_request_is_logged_or_raised(reply: Any, caplog: pytest.LogCaptureFixture) -> None:
    """No logger, exception or text form has the state or the question."""
    told: list[Decided] = []
    asked = DEFINITION.model_copy(update={"question": CANARY})

    with caplog.at_level(logging.DEBUG), contextlib.suppress(DecisionError):
        client(ScriptedTransport([reply]), on_decision=told.append).decide(asked, [CANARY], decision_id="d1")

    assert CANARY not in caplog.text + repr(told) + repr(vars(told[0].error or NoAnswerError("")))


def test_client_is_used_from_several_threads() -> None:
    """Each call has its own course; the fake endpoint answers whoever asks."""
    shared = client(ScriptedTransport([answered()]))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: shared.decide(DEFINITION, "s", decision_id="d1").answer.choice, range(64)))

    assert set(found) == {"account"}
