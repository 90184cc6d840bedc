"""A client that leaves a record of each decision."""

import json
import logging
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from decision_client.audit.hashed_request import RequestHasher
from decision_client.audit.record import DecisionRecord, FailureRecord
from decision_client.audit.recording import AuditError
from decision_client.audit.replay import differing_parts
from decision_client.audit.trail import read_trail
from decision_client.audit.trail_file import TrailFile
from decision_client.errors import DecisionError, EndpointBusyError, InvalidRequestError
from tests.unit.decision_client.audit.recording_client import AT, CANARY, Endpoint, Kept, audit, client
from tests.unit.decision_client.audit.records import KEY, STATE
from tests.unit.decision_client.samples import DEFINITION, policy

if TYPE_CHECKING:
    from decision_client.audit.sink import Sink


def test_answered_decision_leaves_its_record() -> None:
    """Time, ids, hashes, identity, scores, policy, outcome and attempts; the client's caller gets the answer."""
    kept = Kept()

    decided = client(Endpoint(), audit(kept), policies=[policy()]).decide(DEFINITION, STATE, decision_id="case-1")

    (record,) = kept.records
    assert isinstance(record, DecisionRecord)
    assert (record.id, record.caller_id, record.time, record.attempts) == ("r1", "case-1", AT, 1)
    assert record.hashes == RequestHasher(KEY).hashes(STATE, DEFINITION.question, DEFINITION.options)
    assert record.identity == decided.answer.model
    assert record.scores.option_logits == decided.answer.option_logits
    assert record.outcome == decided.outcome
    assert record.policy
    assert (record.policy.version, record.policy.sha256) == ("1", policy().sha256)
    assert record.definition == DEFINITION.reference


def test_decisions_of_one_request_have_a_record_each() -> None:
    """With the hash of the state that they share, and how many they were."""
    kept = Kept()

    client(Endpoint(), audit(kept)).decide_many({"a": DEFINITION, "b": DEFINITION}, STATE)

    assert [(each.caller_id, each.shared) for each in kept.records if isinstance(each, DecisionRecord)] == [
        ("a", 2),
        ("b", 2),
    ]


def test_failed_decision_leaves_a_record_too() -> None:
    """With the exception's name, the status, the code and the attempts; the exception reaches the caller."""
    kept = Kept()
    with pytest.raises(EndpointBusyError):
        client(Endpoint(503), audit(kept)).decide(DEFINITION, STATE, decision_id="case-1")

    (record,) = kept.records
    assert isinstance(record, FailureRecord)
    assert (record.failure.error, record.failure.status, record.failure.code) == ("EndpointBusyError", 503, "busy")
    assert record.attempts > 1
    assert record.refusals == record.attempts


@pytest.mark.parametrize(
    ("state", "decision_id"),
    [("", "case-1"), ({"when": AT}, "case-1"), ("\ud800", "case-1"), (STATE, ""), (STATE, 7), (STATE, "\ud800")],
)
def test_request_that_is_never_sent_leaves_a_record(tmp_path: Path, state: Any, decision_id: Any) -> None:
    """Whatever an application calls a state or an id."""
    path = tmp_path / "audit.jsonl"
    with pytest.raises(InvalidRequestError):
        client(Endpoint(), audit(TrailFile(path))).decide(DEFINITION, state, decision_id=decision_id)

    trail = read_trail([path])
    assert trail.broken == []
    (record,) = trail.asked.values()
    assert isinstance(record, FailureRecord)
    assert (record.failure.error, record.attempts) == ("InvalidRequestError", 0)


@pytest.mark.rule(
    "no text of a request is in an audit record, a log line or an exception",
    tool="the client's own code, logging at its lowest level",
    emulated="the endpoint",
)
@pytest.mark.parametrize("status", [200, 400, 500, 503])
@pytest.mark.parametrize("full", [False, True])
def test_canary_is_in_no_record_log_or_exception(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, status: int, *, full: bool
) -> None:
    """State, question and descriptions all hold it; so does the endpoint's refusal."""
    caplog.set_level(logging.DEBUG)
    options = tuple(
        each.model_copy(update={"description": f"{each.description} {CANARY}"}) for each in DEFINITION.options
    )
    worded = DEFINITION.model_copy(update={"question": f"{CANARY}?", "options": options})
    path = tmp_path / "audit.jsonl"
    sink: Sink = Kept(full=True) if full else TrailFile(path)
    said = ""
    try:
        client(Endpoint(status), audit(sink)).decide(worded, STATE, decision_id="case-1")
    except (AuditError, DecisionError) as error:
        said = "".join(traceback.format_exception(error)) + repr(error) + repr(getattr(error, "decided", ""))

    assert full == (not path.exists())
    written = path.read_text() if path.exists() else ""
    assert CANARY not in said + caplog.text + written
    assert CANARY in json.dumps(STATE)


def test_recorded_request_is_recognised() -> None:
    """What was asked, and nothing else, has the hashes of the record."""
    kept = Kept()
    client(Endpoint(), audit(kept)).decide(DEFINITION, STATE, decision_id="case-1")

    (record,) = kept.records
    assert isinstance(record, DecisionRecord)
    assert record.hashes
    read_back = json.loads(json.dumps(STATE))
    assert differing_parts(record.hashes, read_back, DEFINITION.question, DEFINITION.options, KEY) == []
    assert differing_parts(record.hashes, "other", DEFINITION.question, DEFINITION.options, KEY) == ["state"]
