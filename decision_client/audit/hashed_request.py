"""The parts of a request as digests, and their keyed hashes."""

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from decision_client.audit.keyed_hash import KeyedHash, KeyUseError, Mac
from decision_client.audit.record import Hashes
from decision_client.definition import Option

PARTS: Final = ("state", "question", "options")
_KNOWN: Final = 1024
_CHANGES: Final = 2  # a key that changed between the parts of one request has not changed again while they are hashed


class NoJsonError(ValueError):
    """Something that an application calls a state cannot be written as JSON."""


def part_digests(state: Any, question: str, options: Sequence[Option]) -> dict[str, bytes]:  # noqa: ANN401 - any JSON value
    """Return the SHA-256 of each part.

    Keys stay in the order they are sent, which the model reads too. The part's name is hashed with it, so that a state
    and a question of the same text have nothing in common.

    Raises:
        NoJsonError: The state is no JSON value.
    """
    values = {"state": state, "question": question, "options": [[option.id, option.description] for option in options]}
    return {part: part_digest(part, value) for part, value in values.items()}


def part_digest(part: str, value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """Return the SHA-256 of one part.

    Raises:
        NoJsonError: The value is no JSON.
    """
    # Escaped, so that a text that UTF-8 cannot hold has a digest too: the endpoint refuses it, the record says so.
    try:
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise NoJsonError(type(error).__name__) from None
    return hashlib.sha256(f"decision-audit-1 {part} {text}".encode()).digest()


class RequestHasher:
    """Keyed hashes with one key; those of the last digests are kept, since wordings and shared states come again."""

    def __init__(self, key: KeyedHash) -> None:
        self._mac = lru_cache(maxsize=_KNOWN)(key.mac)

    def caller_id(self, caller_id: str) -> str:
        """Return the keyed hash of a caller's id.

        Raises:
            KeyUseError: The key cannot be used.
        """
        return self._macs({"caller_id": part_digest("caller_id", caller_id)})[1]["caller_id"]

    def hashes(self, state: Any, question: str, options: Sequence[Option]) -> Hashes:  # noqa: ANN401 - any JSON value
        """Return the keyed hashes of a request's parts, all by the same key.

        Raises:
            KeyUseError: The key cannot be used.
            NoJsonError: The state is no JSON value.
        """
        key_id, values = self._macs(part_digests(state, question, options))
        return Hashes(key_id=key_id, **values)

    def hashes_with_id(
        self,
        caller_id: str,
        state: Any,  # noqa: ANN401 - any JSON value
        question: str,
        options: Sequence[Option],
    ) -> tuple[Hashes, str]:
        """Return the keyed hashes of a request's parts and that of the caller's id, all by the same key.

        Raises:
            KeyUseError: The key cannot be used.
            NoJsonError: The state is no JSON value.
        """
        digests = part_digests(state, question, options) | {"caller_id": part_digest("caller_id", caller_id)}
        key_id, values = self._macs(digests)
        hashed = values.pop("caller_id")
        return Hashes(key_id=key_id, **values), hashed

    def _macs(self, digests: dict[str, bytes]) -> tuple[str, dict[str, str]]:
        for _ in range(_CHANGES):
            macs = {part: self._mac(digest) for part, digest in digests.items()}
            (key_id, *others) = {mac.key_id for mac in macs.values()}
            if not others:
                return key_id, {part: mac.value for part, mac in macs.items()}
            self._mac.cache_clear()  # an alias was moved to another key
        raise KeyUseError("the key changes all the time")


def recorded(hashes: Hashes, part: str) -> Mac:
    """Return the recorded keyed hash of a part."""
    return Mac(key_id=hashes.key_id, value=getattr(hashes, part))
