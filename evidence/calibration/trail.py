"""An audit trail as labelled decisions: those that somebody confirmed or corrected later."""

from collections import defaultdict
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

    Raises:
        CalibrationError: There is none, no one policy could name what answered, or a label is none of the options.
    """
    labels: dict[str, OverrideRecord] = {}
    for override in sorted(trail.overrides.values(), key=lambda each: each.time):
        labels[override.decision] = override
    records = [
        each for _, each in sorted(trail.asked.items()) if isinstance(each, DecisionRecord) and each.id in labels
    ]
    answers = {record.id: _scored(record, labels[record.id].choice) for record in records}
    runtimes: dict[Runtime, list[Scored]] = defaultdict(list)
    for record in records:
        runtimes[record.identity.runtime].append(answers[record.id])
    binding = one_binding(record.identity for record in records)
    digest = canonical_sha256(
        {record.id: [record.model_dump(mode="json"), labels[record.id].choice] for record in records}
    )
    return Labelled(
        name=name,
        started=max(record.time for record in records).isoformat(timespec="seconds"),
        files=(TaskFile(name=name, sha256=digest, rows=len(records), note=NOTE),),
        binding=binding,
        answers=tuple(answers.values()),
        missed=(),
        runtimes=sorted_runtimes(runtimes),
        orders={},
    )


def _scored(record: DecisionRecord, label: str) -> Scored:
    if label not in record.option_ids:
        raise CalibrationError(f"decision {record.id}: its label is none of the options")
    scores = record.scores
    return Scored(
        task=record.id,
        type=record.type,
        definition=record.definition,
        option_logits=scores.option_logits,
        gold=record.option_ids.index(label),
        chosen=record.option_ids.index(scores.choice),
        mass=scores.allowed_token_mass,
        abstains=scores.choice == record.abstain_option,
        identity=record.identity.sha256,
    )
