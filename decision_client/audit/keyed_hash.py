"""Keyed hashes: equal texts can be recognised by whoever may use the key, and guessed by nobody else."""

import hashlib
import hmac
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Protocol

from pydantic import Field

from decision_client.errors import FileError
from decision_client.toml_file import read_toml
from decision_client.values import Frozen, Name, Sha256

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class Mac(Frozen):
    """A keyed hash in hex, and the id of the key that made it."""

    key_id: str
    value: Sha256


class KeyedHash(Protocol):
    """One key, wherever it is kept. Messages are SHA-256 digests of 32 bytes, so no text leaves the process."""

    def mac(self, digest: bytes) -> Mac:
        """Return the keyed hash of a digest.

        Raises:
            KeyUseError: The key cannot be used.
        """
        ...

    def verifies(self, digest: bytes, mac: Mac) -> bool:
        """Tell whether a keyed hash is that of a digest.

        Raises:
            KeyUseError: The key cannot be used, or is not the one that made it.
        """
        ...


class KeyUseError(RuntimeError):
    """A key is not there, or may not be used; the message is one sentence without the key."""


@dataclass(frozen=True, slots=True, repr=False)
class LocalKey:
    """A key in this process's memory."""

    id: str
    key: bytes

    def __repr__(self) -> str:
        return f"LocalKey({self.id!r})"

    def mac(self, digest: bytes) -> Mac:
        """Return the HMAC-SHA-256 of a digest."""
        return Mac(key_id=self.id, value=hmac.digest(self.key, digest, hashlib.sha256).hex())

    def verifies(self, digest: bytes, mac: Mac) -> bool:
        """Tell whether a keyed hash is that of a digest."""
        if mac.key_id != self.id:
            raise KeyUseError(f"the hash was made with the key {mac.key_id}, this is {self.id}")
        return hmac.compare_digest(self.mac(digest).value, mac.value)


class _KeyFile(Frozen):
    id: Name
    key: Annotated[str, Field(repr=False, pattern=r"^([0-9a-f]{2}){32,}$")]


def read_key(file: Path) -> LocalKey:
    """Read a key file: `id`, and `key` as at least 32 bytes in hex.

    Raises:
        FileError: The file breaks a rule, or somebody else than its owner may open it.
    """
    try:
        shared = file.stat().st_mode & _OTHERS
    except OSError as error:
        raise FileError(f"{file}: cannot be read: {type(error).__name__}") from None
    if shared:
        raise FileError(f"{file}: others than its owner may open it: chmod 600")
    read = read_toml(file, _KeyFile)
    return LocalKey(read.id, bytes.fromhex(read.key))


class KeyRing:
    """Keys by id, for records made over a time in which the key changed."""

    def __init__(self, keys: Mapping[str, KeyedHash]) -> None:
        self._keys = dict(keys)

    @classmethod
    def of_files(cls, files: list[Path]) -> "KeyRing":
        """Read key files.

        Raises:
            FileError: One breaks a rule, or two have one id.
        """
        keys: dict[str, KeyedHash] = {}
        for file in files:
            key = read_key(file)
            if key.id in keys:
                raise FileError(f"{file}: another file has the key {key.id} too")
            keys[key.id] = key
        return cls(keys)

    def verifies(self, digest: bytes, mac: Mac) -> bool:
        """Tell whether a keyed hash is that of a digest, by the key that made it.

        Raises:
            KeyUseError: That key is not in the ring, or cannot be used.
        """
        if mac.key_id not in self._keys:
            known = ", ".join(sorted(self._keys)) or "none"
            raise KeyUseError(f"the hash was made with the key {mac.key_id}, given is {known}")
        return self._keys[mac.key_id].verifies(digest, mac)
