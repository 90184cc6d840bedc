"""JSON with one value changed, for tests that any difference is named."""

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

JSON = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=9), st.just([]), st.just({}))


def paths(value: Any, *above: str | int) -> Iterator[tuple[str | int, ...]]:
    """Return where every value lies that is no object and no list."""
    if isinstance(value, dict | list):
        for name, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths(below, *above, name)
    else:
        yield above


def put(value: Any, path: tuple[str | int, ...], other: object) -> None:
    """Put another value where a path leads."""
    for step in path[:-1]:
        value = value[step]
    value[path[-1]] = other


def same(one: object, other: object) -> bool:
    """Tell whether two values are equal JSON, where true is no number."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def at(value: Any, path: tuple[str | int, ...]) -> object:
    """Return what a path leads to."""
    for step in path:
        value = value[step]
    return value
