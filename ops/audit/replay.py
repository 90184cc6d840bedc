"""A recorded decision asked again: which record, how much is noise, and what came of it in sentences."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from decision_client.answer import Answer
from decision_client.asking import ask
from decision_client.audit.record import DecisionRecord, Hashes
from decision_client.audit.replay import Replay, Verdict
from decision_client.request import Asked
from decision_client.transport import Transport
from evidence.difference import Difference
from evidence.logit_floor import logit_floor
from evidence.results import read_results
from ops.audit.recorded_request import KeptRequest, ReplayError
from ops.audit.trails import read_trails


@dataclass(frozen=True, slots=True)
class Floor:
    """What counts as noise in logits, and where the figure is from."""

    logits: float
    source: str


def find_record(place: str, wanted: str) -> tuple[DecisionRecord, Hashes]:
    """Return the one record of a file or log group, or the one with an id.

    Raises:
        FileError: A file cannot be read.
        ReplayError: There is none, there are several, or it cannot be replayed.
    """
    trail = read_trails([place], mentions=wanted)
    found = trail.find(wanted) if wanted else list(trail.asked.values())
    if not found:
        raise ReplayError(f"{place}: holds no record" + (f" with the id {wanted}" if wanted else ""))
    if len(found) > 1:
        raise ReplayError(
            f"{place}: holds {len(found)} records" + (f" of {wanted}: " if wanted else ": ") + "name one by --id"
        )
    (record,) = found
    if not isinstance(record, DecisionRecord):
        raise ReplayError(f"{record.id}: was not answered ({record.failure.error}): there is nothing to compare")
    if record.hashes is None:
        raise ReplayError(f"{record.id}: has no hashes: no request can be shown to be its own")
    return record, record.hashes


def noise_floor(record: DecisionRecord, logits: float | None, results: Path | None) -> Floor:
    """Return what counts as noise: nothing, unless a figure or results with repeats are given.

    Raises:
        ReplayError: Both are given, or the figure is none.
        FloorError: The results hold no repeats on the record's runtime.
        ResultsError: They are none.
    """
    if logits is not None and results is not None:
        raise ReplayError("--floor and --floor-from: one of them")
    if logits is not None and not math.isfinite(logits):
        raise ReplayError("--floor: is no number of logits")
    if results is None:
        return Floor(logits or 0.0, "given" if logits else "only the same bits are the same")
    measured = logit_floor(read_results(results), record.identity.sha256)
    return Floor(
        measured.logits, f"measured on the record's runtime: {measured.answers} answers to {measured.prompts} prompts"
    )


def ask_again(transport: Transport, record: DecisionRecord, kept: KeptRequest) -> Answer:
    """Ask the recorded decision, alone.

    Raises:
        DecisionError: There is no answer.
    """
    return ask(transport, [Asked(kept.id, kept.state, kept.definition(record))]).answers[0]


def request_sentence(record: DecisionRecord, key_id: str, parts: Sequence[str]) -> str:
    """Say whether the request is the recorded one."""
    if parts:
        return f"Not the recorded request: {', '.join(parts)} differ from record {record.id} (by key {key_id})."
    return f"The recorded request: state, question and options are those of record {record.id} (by key {key_id})."


def sentences(found: Replay, floor: Floor, changed: Sequence[Difference]) -> Iterator[str]:
    """Say what came of asking again: the identity first, since it explains the rest."""
    yield from (f"Identity: {each.field}: {each.a} → {each.b}" for each in changed)
    if not changed:
        yield "Identity: the same record."
    stated = f"floor {floor.logits:g} ({floor.source})"
    if found.verdict is Verdict.IDENTICAL:
        yield "Identical: every logit and the mass are the same bits."
    else:
        mass = f", the mass is {found.recorded_mass:g} → {found.mass:g}" if found.mass != found.recorded_mass else ""
        yield f"{found.verdict.capitalize()}: logits differ by {found.distance:g} at most{mass}; {stated}."
    if found.same_choice:
        yield f"The choice is the same: {found.choice}."
    else:
        yield f"The choice is another: {found.recorded_choice} → {found.choice}."
