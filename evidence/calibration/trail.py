"""An audit trail as labelled decisions: those that somebody confirmed or corrected later."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from decision_client.audit.record import DecisionRecord, OverrideRecord
from decision_client.audit.trail import Trail
from decision_client.values import canonical_sha256
from evidence.calibration.errors import CalibrationError
from evidence.calibration.labelled import Labelled, one_binding, sorted_runtimes
from evidence.calibration.sample import Scored
from evidence.records import TaskFile

if TYPE_CHECKING:
    from decision_client.identity import Runtime

NOTE = "labels are what somebody said of decisions looked at; they stand for all only if those were drawn at random"


def of_trail(trail: Trail, name: str) -> Labelled:
    """Return the decisions of a trail that have a label: the last thing that was said of each.

    A request that was decided again, the same text by its keyed hashes, is no further evidence: of its labelled
    decisions the first counts, for each runtime.

    Raises:
        CalibrationError: There is none, no one policy could name what answered, or a label is none of the options.
    """
    labels: dict[str, OverrideRecord] = {}
    for override in sorted(trail.overrides.values(), key=lambda each: each.time):
        labels[override.decision] = override
    records = sorted(
        (each for each in trail.asked.values() if isinstance(each, DecisionRecord) and each.id in labels),
        key=lambda each: (each.time, each.id),
    )
    binding = one_binding(record.identity for record in records)
    answers = {record.id: _scored(record, labels[record.id].choice) for record in records}
    counted = [answers[record.id] for record in _first(records)]
    of_runtime: dict[Runtime, list[DecisionRecord]] = defaultdict(list)
    for record in records:
        of_runtime[record.identity.runtime].append(record)
    digest = canonical_sha256(
        {record.id: [record.model_dump(mode="json"), labels[record.id].choice] for record in records}
    )
    return Labelled(
        name=name,
        started=_said(records[-1].time),
        files=(TaskFile(name=name, sha256=digest, rows=len(records), note=NOTE),),
        binding=binding,
        answers=tuple(counted),
        missed=(),
        runtimes=sorted_runtimes(
            {where: [answers[record.id] for record in _first(mine)] for where, mine in of_runtime.items()}
        ),
        orders={},
        remarks=tuple(_remarks(trail, len(records) - len(counted))),
        begins=_said(records[0].time),
    )


def _first(records: Iterable[DecisionRecord]) -> Sequence[DecisionRecord]:
    first: dict[str, DecisionRecord] = {}
    for record in records:
        first.setdefault(_task(record), record)
    return tuple(first.values())


def _task(record: DecisionRecord) -> str:
    """Name what was asked, so that it stays on its side of a split whenever it is asked; by its own id without hashes.

    After a change of keys the same text has another name.
    """
    if record.hashes is None:
        return record.id
    return canonical_sha256([record.definition.model_dump(), record.hashes.model_dump()])


def _said(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds")


def _remarks(trail: Trail, again: int) -> Iterator[str]:
    if again:
        yield f"{again} labelled decisions are of a request that counts already, and are left out"
    if trail.broken:
        yield f"{len(trail.broken)} lines of the trail are no records, and what they held is missing"


def _scored(record: DecisionRecord, label: str) -> Scored:
    if label not in record.option_ids:
        raise CalibrationError(f"decision {record.id}: its label is none of the options")
    scores = record.scores
    return Scored(
        task=_task(record),
        type=record.type,
        definition=record.definition,
        option_logits=scores.option_logits,
        gold=record.option_ids.index(label),
        chosen=record.option_ids.index(scores.choice),
        mass=scores.allowed_token_mass,
        abstains=scores.choice == record.abstain_option,
        identity=record.identity.sha256,
    )
