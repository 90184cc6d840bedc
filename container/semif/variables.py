"""Values of environment variables: each kind parsed strictly, a variable nobody asked for refused."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from semif.decision import StartFailure

T = TypeVar("T")

_DIGITS = re.compile(r"[0-9]{1,15}")
_SHARE = re.compile(r"0(\.[0-9]{1,9})?|1(\.0{1,9})?")
MOST_RESIDENT_STATES, MOST_BRANCHES = 128, 16  # the library has 256 sequences at most
MOST_DEADLINE_SECONDS = 3600
MOST_BODY_BYTES = 64 << 20  # InvokeEndpoint takes 6 MiB; the library counts a text's bytes in 31 bits
MOST_LAYERS = 1024
_ENDPOINT = re.compile(r"[A-Za-z0-9](-*[A-Za-z0-9]){0,62}")  # SageMaker's own rule, so it is a metric's dimension too
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Variables:
    """The `SEMIF_*` part of an environment; remembers what was asked for to refuse the rest."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._values = {name: value for name, value in environment.items() if name.startswith("SEMIF_")}
        self._known: set[str] = set()

    def optional(self, name: str, parse: Callable[[str, str], T], default: T) -> T:
        """A value, or the default if the variable is absent."""
        self._known.add(name)
        return parse(name, self._values[name]) if name in self._values else default

    def absent_or(self, name: str, parse: Callable[[str, str], T]) -> T | None:
        """A value, or None if the variable is absent."""
        self._known.add(name)
        return parse(name, self._values[name]) if name in self._values else None

    def required(self, name: str, parse: Callable[[str, str], T]) -> T:
        """A value."""
        if name not in self._values:
            raise StartFailure(f"{name} is not set")
        return self.optional(name, parse, parse(name, self._values[name]))

    def refuse_the_rest(self) -> None:
        """Ends the start if a variable was never asked for."""
        for name in sorted(self._values.keys() - self._known):
            raise StartFailure(f"{name} is not a setting of this container")


def positive(name: str, value: str) -> int:
    """A positive integer."""
    if not _DIGITS.fullmatch(value) or int(value) == 0:
        raise StartFailure(f"{name} must be a positive integer")
    return int(value)


def count(name: str, value: str) -> int:
    """Zero or a positive integer."""
    if not _DIGITS.fullmatch(value):
        raise StartFailure(f"{name} must be 0 or a positive integer")
    return int(value)


def sequences(name: str, value: str) -> int:
    """A number of resident states."""
    if (states := count(name, value)) > MOST_RESIDENT_STATES:
        raise StartFailure(f"{name} must be at most {MOST_RESIDENT_STATES}")
    return states


def branches(name: str, value: str) -> int:
    """A number of branches."""
    if (number := positive(name, value)) > MOST_BRANCHES:
        raise StartFailure(f"{name} must be at most {MOST_BRANCHES}")
    return number


def deadline(name: str, value: str) -> int:
    """A number of seconds that a timer can wait for."""
    if (seconds := positive(name, value)) > MOST_DEADLINE_SECONDS:
        raise StartFailure(f"{name} must be at most {MOST_DEADLINE_SECONDS}")
    return seconds


def body_bytes(name: str, value: str) -> int:
    """A number of bytes that a request may have."""
    if (number := positive(name, value)) > MOST_BODY_BYTES:
        raise StartFailure(f"{name} must be at most {MOST_BODY_BYTES}")
    return number


def share(name: str, value: str) -> float:
    """A decimal number from 0 to 1."""
    if not _SHARE.fullmatch(value):
        raise StartFailure(f"{name} must be a decimal number from 0 to 1")
    return float(value)


def port(name: str, value: str) -> int:
    """A TCP port."""
    port = positive(name, value)
    if port > 65535:  # noqa: PLR2004 - the largest TCP port
        raise StartFailure(f"{name} must be a TCP port, at most 65535")
    return port


def layers(name: str, value: str) -> int:
    """A number of layers, -1 for every one."""
    if value != "-1" and not (_DIGITS.fullmatch(value) and int(value) <= MOST_LAYERS):
        raise StartFailure(f"{name} must be -1 (every layer), 0 (none) or a number of layers, at most {MOST_LAYERS}")
    return int(value)


def sha256(name: str, value: str) -> str:
    """Sixty-four lower-case hexadecimal digits."""
    if not _SHA256.fullmatch(value):
        raise StartFailure(f"{name} must be a SHA-256: 64 lower-case hexadecimal digits")
    return value


def text(name: str, value: str) -> str:
    """A printable text."""
    if not value or value != value.strip() or not value.isprintable():
        raise StartFailure(f"{name} must be a non-empty printable text without surrounding spaces")
    return value


def endpoint(name: str, value: str) -> str:
    """An endpoint's name."""
    if not _ENDPOINT.fullmatch(value):
        raise StartFailure(f"{name} must be an endpoint's name: letters, digits and hyphens, at most 63")
    return value


def file_name(name: str, value: str) -> str:
    """The bare name of a GGUF file."""
    if text(name, value) != Path(value).name or not value.endswith(".gguf"):
        raise StartFailure(f"{name} must be the bare name of a .gguf file")
    return value


def folder(name: str, value: str) -> Path:
    """A path."""
    return Path(text(name, value))
