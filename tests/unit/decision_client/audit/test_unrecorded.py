"""Where a sink or a key fails: what is kept, what the caller is told, and what is never written."""

import logging

import pytest

from decision_client.audit.hashed_request import RequestHasher
from decision_client.audit.record import DecisionRecord, Hashes
from decision_client.audit.recording import AuditError
from decision_client.errors import EndpointBusyError
from tests.unit.decision_client.audit.recording_client import Endpoint, Kept, NoKey, audit, client
from tests.unit.decision_client.audit.records import KEY, STATE
from tests.unit.decision_client.samples import DEFINITION


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


@pytest.mark.parametrize("after", [0, 1, 2, 3])
@pytest.mark.parametrize("hashed_ids", [False, True])
def test_key_that_is_denied_in_the_middle_leaves_no_half_of_the_hashes(after: int, *, hashed_ids: bool) -> None:
    """A record has all of them or none; where ids are hashed, one that cannot be hashed leaves no record at all."""
    kept = Kept()
    recording = audit(kept, NoKey(after), hash_caller_ids=hashed_ids)
    complete = after > 2 + hashed_ids
    if complete:
        client(Endpoint(), recording).decide(DEFINITION, STATE, decision_id="case-1")
    else:
        with pytest.raises(AuditError):
            client(Endpoint(), recording).decide(DEFINITION, STATE, decision_id="case-1")

    hashes = [each.hashes for each in kept.records if isinstance(each, DecisionRecord)]
    assert hashes == ([] if hashed_ids and not complete else [_hashes() if complete else None])


def test_decisions_of_a_request_are_kept_with_and_without_hashes_as_the_key_allows() -> None:
    """What is known of the first is not lost with the key, and the second is kept; the caller gets the error."""
    kept = Kept()
    other = DEFINITION.model_copy(update={"question": "Another?"})
    with pytest.raises(AuditError) as caught:
        client(Endpoint(), audit(kept, NoKey(3))).decide_many({"a": DEFINITION, "b": other}, STATE)

    assert caught.value.decided.asked.id == "b"
    found = {each.caller_id: each.hashes for each in kept.records if isinstance(each, DecisionRecord)}
    assert found == {"a": _hashes(), "b": None}


def _hashes() -> Hashes:
    return RequestHasher(KEY).hashes(STATE, DEFINITION.question, DEFINITION.options)


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
