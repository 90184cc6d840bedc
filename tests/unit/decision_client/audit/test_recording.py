"""A client that leaves a record of each decision."""

import json
import logging
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from decision_client.audit.hashed_request import RequestHasher
from decision_client.audit.keyed_hash import KeyedHash, KeyUseError, Mac
from decision_client.audit.record import AnyRecord, DecisionRecord, FailureRecord
from decision_client.audit.recording import Audit, AuditError
from decision_client.audit.replay import differing_parts
from decision_client.audit.sink import Sink, SinkError
from decision_client.audit.trail import read_trail
from decision_client.audit.trail_file import TrailFile
from decision_client.client import DecisionClient
from decision_client.errors import DecisionError, EndpointBusyError, InvalidRequestError
from decision_client.transport import Reply
from tests.unit.decision_client.audit.records import KEY, STATE
from tests.unit.decision_client.samples import DEFINITION, answer, policy

CANARY = "CANARY-7f3a"
AT = datetime(2026, 11, 30, 3, 20, tzinfo=UTC)


class Endpoint:
    """A transport that answers every decision of a request as `samples.answer`, or with a status."""

    def __init__(self, status: int = 200, **changed: Any) -> None:
        self._status, self._changed = status, changed

    def send(self, body: bytes, timeout_seconds: float) -> Reply:
        """Answer."""
        assert timeout_seconds > 0
        if self._status != 200:
            return Reply(self._status, json.dumps({"error": CANARY, "code": "busy"}).encode())
        asked = json.loads(body)
        results = [
            answer(**{"id": each["id"], **self._changed}).model_dump(mode="json")
            for each in asked.get("decisions") or [asked["decision"]]
        ]
        return Reply(200, json.dumps({"results": results} if "decisions" in asked else {"result": results[0]}).encode())


class Kept:
    """A sink in memory, which may be full, or so for one caller's id."""

    def __init__(self, *, full: bool = False, refuses: str = "") -> None:
        self.records: list[AnyRecord] = []
        self._full, self._refuses = full, refuses

    def append(self, records: Sequence[AnyRecord]) -> None:
        """Keep records."""
        if self._full or self._refuses in [each.caller_id for each in records]:
            raise SinkError("audit.jsonl: No space left on device")
        self.records += records


class NoKey:
    """A key that may not be used."""

    def mac(self, digest: bytes) -> Mac:
        """Refuse."""
        assert len(digest) == 32
        raise KeyUseError("alias/audit: GenerateMac: AccessDeniedException")

    def verifies(self, digest: bytes, mac: Mac) -> bool:
        """Refuse."""
        raise NotImplementedError


def client(endpoint: Endpoint, audit: Audit, **given: Any) -> DecisionClient:
    """A client whose clocks stand still and whose waits are over at once."""
    return DecisionClient(
        endpoint,
        on_decision=audit,
        clock=lambda: 5.0,
        sleep=lambda _: None,
        now=lambda: AT,
        deadline_seconds=3,
        **given,
    )


def audit(sink: Sink, key: KeyedHash = KEY, **given: Any) -> Audit:
    """An audit that counts its records."""
    ids = count(1)
    return Audit(sink, key, new_id=lambda: f"r{next(ids)}", **given)


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


def test_decision_that_cannot_be_recorded_is_refused_its_caller_with_the_answer() -> None:
    """The error holds what became of the decision, so nothing that was computed is lost."""
    with pytest.raises(AuditError, match=r"known and not recorded: audit.jsonl: No space left on device") as caught:
        client(Endpoint(), audit(Kept(full=True))).decide(DEFINITION, STATE, decision_id="case-1")

    assert caught.value.decided.decision
    assert caught.value.decided.decision.answer.choice == "account"


def test_other_decisions_of_a_request_are_recorded_where_one_cannot_be() -> None:
    """The caller gets the error of that one; what was kept of the others stays."""
    kept = Kept(refuses="b")
    with pytest.raises(AuditError) as caught:
        client(Endpoint(), audit(kept)).decide_many({"a": DEFINITION, "b": DEFINITION, "c": DEFINITION}, STATE)

    assert caught.value.decided.asked.id == "b"
    assert [each.caller_id for each in kept.records] == ["a", "c"]


def test_failure_that_cannot_be_recorded_is_in_the_error() -> None:
    """The caller learns both."""
    with pytest.raises(AuditError) as caught:
        client(Endpoint(503), audit(Kept(full=True))).decide(DEFINITION, STATE, decision_id="case-1")

    assert isinstance(caught.value.decided.error, EndpointBusyError)


def test_audit_that_is_not_required_logs_and_counts(caplog: pytest.LogCaptureFixture) -> None:
    """The decision goes on; that it is not recorded is not silent."""
    optional = audit(Kept(full=True), required=False)

    decided = client(Endpoint(), optional).decide(DEFINITION, STATE, decision_id="case-1")

    assert decided.answer.choice == "account"
    assert optional.unrecorded == 1
    assert [(each.levelno, each.getMessage()) for each in caplog.records] == [
        (logging.ERROR, "a decision is not recorded: audit.jsonl: No space left on device")
    ]


def test_decision_is_recorded_without_hashes_where_the_key_cannot_be_used() -> None:
    """What is known is kept, and that something is missing is an error all the same."""
    kept = Kept()
    with pytest.raises(AuditError, match="recorded without hashes: alias/audit: GenerateMac: AccessDenied"):
        client(Endpoint(), audit(kept, NoKey())).decide(DEFINITION, STATE, decision_id="case-1")

    (record,) = kept.records
    assert isinstance(record, DecisionRecord)
    assert record.hashes is None


def test_caller_id_is_written_hashed_or_not_at_all() -> None:
    """Also where the key cannot be used, an id that may be a person's is not written as it is."""
    kept = Kept()
    client(Endpoint(), audit(kept, hash_caller_ids=True)).decide(DEFINITION, STATE, decision_id="ana@example.com")
    with pytest.raises(AuditError):
        client(Endpoint(), audit(kept, NoKey(), hash_caller_ids=True)).decide(DEFINITION, STATE, decision_id="ana")

    (record,) = kept.records
    assert isinstance(record, DecisionRecord)
    assert record.caller_id == RequestHasher(KEY).caller_id("ana@example.com")
    assert record.caller_id_hashed


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
