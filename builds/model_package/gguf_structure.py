"""What a whole GGUF says of itself, read by the gguf package in a process of its own.

The package is made for files that its user trusts: it keeps Python objects for every element of every array, so a
header of some megabytes can ask for any memory (docs/decisions/0013). In a process of its own it has bounded memory,
bounded time and no credentials, and whatever it does, the build ends in one sentence.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from model_pin import PackagingError

READER = Path(__file__).with_name("gguf_reading.py")


@dataclass(frozen=True)
class Limits:
    """What reading may take. A header of 250,000 tokens and as many merges takes 0.8 GB and 12 seconds."""

    mebibytes: int = 2048
    seconds: float = 600


ENOUGH = Limits()


@dataclass(frozen=True)
class Array:
    """An array of the metadata, of which only the number of elements is kept."""

    count: int


Value = int | str | Array | None
"""What is kept of a metadata value: None of a float, a truth value, or a text too long or not UTF-8."""


@dataclass(frozen=True)
class Structure:
    """What a whole GGUF says of itself.

    Attributes:
        version: Of the format.
        tensors: How many there are.
        metadata: Values by key.
    """

    version: int
    tensors: int
    metadata: Mapping[str, Value]


def check_structure(path: Path, name: str, limits: Limits = ENOUGH) -> Structure:
    """Check a whole GGUF file and return what it says of itself.

    Args:
        path: Where it lies.
        name: What refusals call it.
        limits: What reading may take.

    Raises:
        PackagingError: It is no GGUF, or its tensors do not lie within it one after another, or reading it takes more
            memory or time than any model's header does.
    """
    # One thread: others would only take memory. The file's content gets nowhere near the build's credentials.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment["OPENBLAS_NUM_THREADS"] = "1"
    try:
        ended = subprocess.run(
            [sys.executable, READER, path, str(limits.mebibytes)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=limits.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PackagingError(f"{name}: its header cannot be read within {limits.seconds:g} seconds.") from None
    try:
        answer: dict[str, Any] = json.loads(ended.stdout)
    except ValueError:
        raise PackagingError(f"{name}: reading its header ended with exit code {ended.returncode}.") from None
    if refusal := answer.get("refused"):
        raise PackagingError(f"{name}: {refusal}")
    return structure_of(answer)


def structure_of(answer: Mapping[str, Any]) -> Structure:
    """Return the structure that the reading's answer tells."""
    read = answer["metadata"].items()
    metadata = {key: Array(value["count"]) if isinstance(value, dict) else value for key, value in read}
    return Structure(answer["version"], answer["tensors"], metadata)
