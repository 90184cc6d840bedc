"""Records to write and to read, and the key that their hashes are made with."""

from datetime import UTC, datetime, timedelta
from typing import Any

from decision_client.audit.hashed_request import RequestHasher
from decision_client.audit.keyed_hash import LocalKey
from decision_client.audit.record import DecisionRecord, Failure, FailureRecord, OverrideRecord, Scores
from decision_client.outcome import Action, Outcome, Reason
from tests.unit.decision_client.samples import DEFINITION, answer

KEY = LocalKey("2026-11", bytes(range(32)))
STATE = {"subject": "Reset email", "body": "It never arrived. CANARY-7f3a"}
START = datetime(2026, 11, 30, 3, 20, tzinfo=UTC)


def _asked(number: int, **changed: Any) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "id": f"r{number}",
        "time": START + timedelta(seconds=number),
        "caller_id": f"case-{number}",
        "definition": DEFINITION.reference,
        "type": DEFINITION.type,
        "option_ids": DEFINITION.option_ids,
        "abstain_option": DEFINITION.abstain_option,
        "hashes": RequestHasher(KEY).hashes(STATE, DEFINITION.question, DEFINITION.options),
        "policy": None,
        "seconds": 0.25,
        "waited_seconds": 0.0,
        "attempts": 1,
        "refusals": 0,
        "shared": 1,
    }
    return asked | changed


def decision(
    number: int, *, outcome: Outcome | None = None, scored: dict[str, Any] | None = None, **changed: Any
) -> DecisionRecord:
    """The record of an answered decision, with an outcome, with fields of the answer, or with its own changed."""
    answered = answer(**(scored or {}))
    judged = outcome or Outcome(Action.ACT, Reason.PROBABILITY, 0.84, calibrated=True)
    return DecisionRecord(
        **_asked(number, identity=answered.model, scores=Scores.of(answered), outcome=judged, **changed)
    )


def failure(number: int, error: str, status: int | None = None, code: str = "", **changed: Any) -> FailureRecord:
    """The record of a decision that was not answered."""
    return FailureRecord(**_asked(number, failure=Failure(error=error, status=status, code=code), **changed))


def correction(number: int, of: DecisionRecord, choice: str, by: str = "ana") -> OverrideRecord:
    """A correction of a record."""
    return OverrideRecord(
        id=f"o{number}",
        time=START + timedelta(hours=1, seconds=number),
        caller_id=of.caller_id,
        decision=of.id,
        definition=of.definition,
        answered=of.scores.choice,
        choice=choice,
        by=by,
    )
