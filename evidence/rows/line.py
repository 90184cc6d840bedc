"""One line of a task file as a JSON object, and why it is none."""

import json
import math
from typing import Any

from pydantic import ValidationError


def parse(raw: bytes) -> dict[str, Any]:
    """Return a line's object, which the endpoint would take as JSON too; a byte order mark before it is left out.

    Raises:
        ValueError: It is no JSON object in UTF-8, has a key twice, half of a surrogate pair or a number without end.
    """
    try:
        # Decoded here, since `json` would guess UTF-16 and UTF-32 too.
        text = raw.decode("utf-8-sig")
        row = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
        json.dumps(row, ensure_ascii=False).encode()  # an escaped half of a surrogate pair cannot be sent
    except UnicodeError:
        raise ValueError("is no UTF-8 text") from None
    except RecursionError:
        raise ValueError("is nested too deep") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is no JSON: {error.msg} at column {error.colno}") from None
    if not isinstance(row, dict):
        raise ValueError("is no JSON object")  # noqa: TRY004 - a file's fault, told like the others
    return row


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("has a key twice in one object")
    return dict(pairs)


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _refuse(_constant: str) -> float:
    raise ValueError("has a number that is not finite")


def sentence(error: ValueError) -> str:
    """Say which rules a row breaks, by key, without repeating what it says."""
    if not isinstance(error, ValidationError):
        return str(error)
    rules = []
    for each in error.errors(include_input=False, include_url=False):
        where = ".".join(str(part) for part in each["loc"])
        rules.append(": ".join(filter(None, (where, each["msg"].removeprefix("Value error, ")))))
    return "; ".join(rules)
