"""Where two records differ, field by field."""

from dataclasses import dataclass
from typing import Any

from decision_client.identity import Identity


@dataclass(frozen=True, slots=True)
class Difference:
    """One field, by its dotted name, and what either side says; None where a side lacks it."""

    field: str
    a: Any
    b: Any


def differences(a: Identity | None, b: Identity | None) -> tuple[Difference, ...]:
    """Return the fields in which two identity records differ, in A's order; an absent record lacks all fields."""
    of_a, of_b = fields(a), fields(b)
    names = dict.fromkeys((*of_a, *of_b))
    return tuple(Difference(name, of_a.get(name), of_b.get(name)) for name in names if of_a.get(name) != of_b.get(name))


def fields(record: Identity | None) -> dict[str, Any]:
    """Return a record's values by dotted name: `gguf.sha256`."""
    return {} if record is None else dict(_flat(record.model_dump(mode="json"), ""))


def _flat(value: Any, name: str) -> list[tuple[str, Any]]:  # noqa: ANN401 - any JSON value
    if not isinstance(value, dict):
        return [(name, value)]
    return [pair for key, each in value.items() for pair in _flat(each, f"{name}.{key}" if name else key)]
