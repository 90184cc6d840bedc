"""What the formats share: where a row stands, and how rows say what is asked."""

import json
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator

from decision_client.definition import Option
from evidence.rows.definitions import Definitions


@dataclass(frozen=True, slots=True)
class Place:
    """The row's file without its suffix, its line from 1, and the definitions it may name."""

    stem: str
    line: int
    definitions: Definitions


def _evidence(state: object) -> object:
    if not isinstance(state, str | dict | list) or not state:
        raise ValueError("has to be a string, an object or an array, and not empty")
    return state


State = Annotated[Any, AfterValidator(_evidence)]


def words(value: object, otherwise: str = "") -> str:
    """Return a text as it is, anything else as JSON, and a substitute for nothing."""
    if value is None:
        return otherwise
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def levels(descriptions: list[Any]) -> tuple[Option, ...]:
    """Return the options of a scale, lowest first, with `0`, `1`, … as ids."""
    return tuple(Option(id=str(level), description=words(each, str(level))) for level, each in enumerate(descriptions))
