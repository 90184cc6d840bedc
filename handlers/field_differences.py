"""Compare what was asked for with what was found, and name each field that differs with both values."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from lifecycle import bounded

VALUE_BYTES: Final = 240
"""Bytes of one value in a sentence: two values and the field's name fit a response several times."""

NOTHING: Final = object()
"""What is found where there is nothing, which is not the same as a null."""

# Names in these mappings are ours, not the API's: one more than asked for is a difference too.
_EXACT: Final = ("Environment",)


def difference(field: str, wanted: object, found: object) -> str:
    """Say that one field is not what it should be, both values cut to a length that fits a response."""
    return f"{field}: wanted {shown(wanted)}, found {shown(found)}"


def shown(value: object) -> str:
    """Write a value as JSON, cut in its middle."""
    return "nothing" if value is NOTHING else bounded(json.dumps(value, default=str), VALUE_BYTES)


def differences(field: str, wanted: object, found: object) -> Iterator[str]:
    """Yield every difference between what was asked for and what was found, in the order asked for.

    Services add fields with defaults of their own to what they were given, so a field nobody asked for is none.

    Args:
        field: The name of what is compared; what lies below it is named with dots and indices.
        wanted: JSON that was asked for.
        found: JSON that was found.
    """
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        for name, value in wanted.items():
            yield from differences(f"{field}.{name}", value, found.get(name, NOTHING))
        if field.endswith(_EXACT):
            for name in sorted(found.keys() - wanted.keys(), key=str):
                yield difference(f"{field}.{name}", NOTHING, found[name])
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        for index, (value, other) in enumerate(zip(wanted, found, strict=True)):
            yield from differences(f"{field}[{index}]", value, other)
    elif not _equal(wanted, found):
        yield difference(field, wanted, found)


def _equal(wanted: object, found: object) -> bool:
    """Tell whether two values are the same; 1 and 1.0 are, True and 1 are not."""
    return isinstance(wanted, bool) == isinstance(found, bool) and wanted == found
