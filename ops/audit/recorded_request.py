"""The request of a record, from the file that somebody kept it in; the trail itself has no text."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from decision_client.audit.hashed_request import part_digest
from decision_client.audit.keyed_hash import Mac
from decision_client.audit.record import DecisionRecord
from decision_client.audit.replay import Verifier
from decision_client.definition import DecisionDefinition, Option


class ReplayError(ValueError):
    """A record or a request cannot be replayed; the message is one sentence that holds nothing of a request."""


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """One decision of a request."""

    id: str
    state: Any = field(repr=False)
    question: str = field(repr=False)
    options: tuple[Option, ...] = field(repr=False)

    def definition(self, record: DecisionRecord) -> DecisionDefinition:
        """Return what is asked, named as the record names it."""
        return DecisionDefinition(
            name=record.definition.name,
            version=record.definition.version,
            type=record.type,
            question=self.question,
            options=self.options,
            abstain_option=record.abstain_option,
        )


def read_request(file: Path, record: DecisionRecord, keys: Verifier) -> KeptRequest:
    """Read the decision that a record may be of: the only one, or of several that with the record's caller's id.

    Raises:
        ReplayError: The file is no request as docs/decision-api.md has it, or has no decision of this id.
        KeyUseError: The caller's id was hashed, and the key cannot be used.
    """
    try:
        body = json.loads(file.read_bytes(), parse_constant=_refuse)
        decisions = _decisions(body)
        kept = [
            KeptRequest(
                str(each["id"]),
                each["state"],
                str(each["question"]),
                tuple(Option.model_validate(option) for option in each["options"]),
            )
            for each in decisions
        ]
    except OSError as error:
        raise ReplayError(f"{file}: cannot be read: {type(error).__name__}") from None
    except (ValueError, TypeError, KeyError, RecursionError, ValidationError):
        raise ReplayError(f"{file}: is no request: an object with decision, or decisions") from None
    return _of_record(file, kept, record, keys)


def _decisions(body: Any) -> Sequence[Any]:  # noqa: ANN401 - parsed JSON
    return body["decisions"] if "decisions" in body else [body["decision"]]


def _of_record(file: Path, kept: list[KeptRequest], record: DecisionRecord, keys: Verifier) -> KeptRequest:
    if len(kept) == 1:
        return kept[0]
    for each in kept:
        if _is_callers_id(each.id, record, keys):
            return each
    raise ReplayError(f"{file}: none of its {len(kept)} decisions has the record's caller's id")


def _is_callers_id(given: str, record: DecisionRecord, keys: Verifier) -> bool:
    if not record.caller_id_hashed:
        return given == record.caller_id
    assert record.hashes, "a record without hashes is not replayed"
    return keys.verifies(part_digest("caller_id", given), Mac(key_id=record.hashes.key_id, value=record.caller_id))


def _refuse(_constant: str) -> None:
    raise ValueError
