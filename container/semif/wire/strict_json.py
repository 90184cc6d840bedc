"""Strict JSON: what the standard parser lets through is found by one walk that knows every path."""

import json
import math
import re
from typing import Any

from semif.decision import RequestError

MAX_DEPTH = 64  # a state nested deeper than this is no evidence a person can read
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHOWN = 80  # a field's path is echoed to the caller; a hostile key must not become a hostile answer


class _RepeatedKey(dict[str, Any]):
    """An object in which the key `repeated` occurred more than once."""

    repeated: str


def load(body: bytes, control_token: re.Pattern[str] | None) -> Any:  # noqa: ANN401 - any JSON value
    """Parses a body of UTF-8 JSON.

    Args:
        body: The bytes as received.
        control_token: Finds what no key or value may contain, or None if the vocabulary has none.

    Raises:
        RequestError: It is not JSON, or holds a repeated key, a number that is not finite or too
            long, a lone surrogate, a control token, or is nested too deep; the field is named.
    """
    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=_object)
    except UnicodeDecodeError:
        raise RequestError("invalid_utf8", "the body is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise RequestError("invalid_json", f"the body is not JSON: {error.msg} at character {error.pos}") from None
    except ValueError:  # int() refuses more than 4300 digits
        raise RequestError("number_too_long", "a number in the body has too many digits") from None
    except RecursionError:
        raise RequestError("too_deep", f"the body is nested deeper than {MAX_DEPTH} levels") from None
    _check(value, control_token)
    return value


def shown(path: str) -> str:
    """A path short enough to repeat in an answer."""
    return path if len(path) <= _SHOWN else path[:_SHOWN] + "…"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    marked = _RepeatedKey(result)
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            marked.repeated = key
            break
        seen.add(key)
    return marked


def _check(root: Any, control_token: re.Pattern[str] | None) -> None:  # noqa: ANN401 - any JSON value
    pending: list[tuple[Any, str, int]] = [(root, "", 0)]
    while pending:
        value, path, depth = pending.pop()
        if isinstance(value, str):
            _check_text(value, path, control_token)
        elif isinstance(value, float) and not math.isfinite(value):
            raise RequestError("not_finite", *_named(path, "is not a finite number"))
        elif isinstance(value, dict | list):
            if depth == MAX_DEPTH:
                raise RequestError("too_deep", f"{path} is nested deeper than {MAX_DEPTH} levels", path)
            if isinstance(value, list):
                pending.extend((item, shown(f"{path}[{index}]"), depth + 1) for index, item in enumerate(value))
                continue
            for key, item in value.items():
                below = _member(path, key)
                _check_text(key, below, control_token)
                pending.append((item, below, depth + 1))
            if isinstance(value, _RepeatedKey):
                below = _member(path, value.repeated)
                raise RequestError("duplicate_key", f"{below} occurs more than once", below)


def _member(path: str, key: str) -> str:
    # Shortened at every level: full paths below a key of 100 kB would be gigabytes.
    return shown(f"{path}.{key}" if path else key).encode("utf-8", "replace").decode()


def _check_text(text: str, path: str, control_token: re.Pattern[str] | None) -> None:
    if _SURROGATE.search(text):
        raise RequestError("lone_surrogate", *_named(path, "contains half of a surrogate pair"))
    if control_token and (found := control_token.search(text)):
        raise RequestError("control_token", *_named(path, f"contains {found[0]!r}, a control token of the model"))


def _named(path: str, rule: str) -> tuple[str, str | None]:
    return f"{path or 'the body'} {rule}", path or None
