"""A later correction: somebody's decision beside the endpoint's, added to the trail."""

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from uuid import uuid4

from decision_client.audit.record import DecisionRecord, FailureRecord, OverrideRecord
from decision_client.audit.trail import Asked, Trail
from decision_client.audit.trail_file import TrailFile


class OverrideError(ValueError):
    """A correction cannot be meant; the message is one sentence, and nothing was written."""


def override(
    trail: TrailFile, wanted: str, choice: str, by: str, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> OverrideRecord:
    """Append a correction, while nobody else writes to the trail.

    Args:
        trail: The file that holds the decision.
        wanted: The record's id, or the caller's if one record has it.
        choice: The right option; the endpoint's own confirms it.
        by: Who says so.
        now: The clock.

    Raises:
        OverrideError: There is no such trail, decision or option, several decisions, no answer, or it was said before.
        SinkError: The trail cannot be opened or written.
    """
    if not trail.path.exists():
        raise OverrideError(f"{trail.path}: is not there")
    with trail.opened() as held:
        lines = held.text().split("\n")
        record = _one(_mentioning(lines, wanted).find(wanted), wanted)
        made = correction(_mentioning(lines, record.id), record.id, choice, by, now())
        held.append([made])
    return made


def correction(trail: Trail, wanted: str, choice: str, by: str, time: datetime) -> OverrideRecord:
    """Return a correction of a decision of a trail, to be appended.

    Raises:
        OverrideError: As above.
    """
    record = _one(trail.find(wanted), wanted)
    if choice not in record.option_ids:
        raise OverrideError(f"--choice: is none of {', '.join(record.option_ids)}")
    if not by:
        raise OverrideError("--by: is empty")
    said = trail.last_override(record.id)
    if said and (said.choice, said.by) == (choice, by):
        raise OverrideError(f"{record.id}: {by} has said so already, at {said.time.isoformat()}")
    return OverrideRecord(
        id=uuid4().hex,
        time=time,
        caller_id=record.caller_id,
        decision=record.id,
        definition=record.definition,
        answered=record.scores.choice,
        choice=choice,
        by=by,
    )


def _mentioning(lines: Iterable[str], word: str) -> Trail:
    """Read only the lines that mention an id: deciding processes wait meanwhile."""
    written = json.dumps(word, ensure_ascii=False)
    trail = Trail()
    trail.add(("", line) for line in lines if written in line)
    return trail


def _one(found: Sequence[Asked], wanted: str) -> DecisionRecord:
    match found:
        case [DecisionRecord() as record]:
            return record
        case [FailureRecord()]:
            raise OverrideError(f"{wanted}: was not answered: there is nothing to correct")
        case []:
            raise OverrideError(f"{wanted}: is no id in this trail")
        case _:
            ids = ", ".join(record.id for record in found)
            raise OverrideError(f"{wanted}: several decisions have this caller's id; name one record: {ids}")
