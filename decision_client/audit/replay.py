"""A recorded decision and the same one asked again: whether the request is the recorded one, and what changed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from decision_client.answer import Answer
from decision_client.audit.hashed_request import part_digests, recorded
from decision_client.audit.keyed_hash import Mac
from decision_client.audit.record import DecisionRecord, Hashes
from decision_client.definition import Option


class Verifier(Protocol):
    """A key, or several by id."""

    def verifies(self, digest: bytes, mac: Mac) -> bool:
        """Tell whether a keyed hash is that of a digest."""
        ...


def differing_parts(hashes: Hashes, state: Any, question: str, options: Sequence[Option], keys: Verifier) -> list[str]:  # noqa: ANN401 - any JSON value
    """Return which of state, question and options are not the recorded ones; none: it is the recorded request.

    Raises:
        KeyUseError: The key that made the hashes cannot be used.
    """
    digests = part_digests(state, question, options)
    return [part for part, digest in digests.items() if not keys.verifies(digest, recorded(hashes, part))]


class Verdict(StrEnum):
    """How an answer compares with the recorded one."""

    IDENTICAL = "identical"
    WITHIN_FLOOR = "within the noise floor"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class Replay:
    """What asking again came to. Distances are in logits.

    Attributes:
        verdict: Whether logits and mass are the same bits, differ by no more than the floor explains, or by more.
        distance: The greatest difference of an option's logit.
        recorded_mass: The mass on the options' letters.
        mass: The mass now.
        floor: What counts as noise.
        recorded_choice: The option that was chosen.
        choice: The option chosen now.
        same_identity: Whether the identity record is equal.
    """

    verdict: Verdict
    distance: float
    recorded_mass: float
    mass: float
    floor: float
    recorded_choice: str
    choice: str
    same_identity: bool

    @property
    def same_choice(self) -> bool:
        """Whether the decision is the same, whatever its numbers."""
        return self.choice == self.recorded_choice


def replayed(record: DecisionRecord, answer: Answer, floor: float) -> Replay:
    """Compare an answer to the recorded request with the record."""
    pairs = zip(record.scores.option_logits, answer.option_logits, strict=True)
    distance = max(abs(before - after) for before, after in pairs)
    then, now = record.scores.allowed_token_mass, answer.allowed_token_mass
    same_bits = distance == 0 and then == now
    noise = Verdict.WITHIN_FLOOR if floor and distance <= floor and _explains(floor, then, now) else Verdict.DIFFERENT
    return Replay(
        verdict=Verdict.IDENTICAL if same_bits else noise,
        distance=distance,
        recorded_mass=then,
        mass=now,
        floor=floor,
        recorded_choice=record.scores.choice,
        choice=answer.choice,
        same_identity=record.identity == answer.model,
    )


def _explains(floor: float, then: float, now: float) -> bool:
    """Say whether a mass can have moved so far where no logit of the vocabulary has moved by more than the floor.

    Above and below the line of its softmax each term changes by e^floor at most, so the logarithm by twice the floor.
    """
    if not then or not now:
        return then == now
    return abs(math.log(now / then)) <= 2 * floor
