"""What every custom resource here owes CloudFormation: strict properties in, one bounded answer out.

The provider framework turns a returned mapping into SUCCESS and a raised exception into FAILED with the
exception's text as reason. CloudFormation refuses a response above 4096 bytes and then waits for its timeout,
so no text leaves this module unbounded: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-responses.html
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping

REASON_BYTES = 1600
"""Bytes of a reason as JSON. The framework adds log group, stack trace and ids, about 2 kB at worst."""

SHA256 = re.compile(r"[0-9A-Fa-f]{64}")
BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
COUNT = re.compile(r"[1-9][0-9]{0,14}")

_GIVEN_BY_THE_FRAMEWORK = frozenset({"ServiceToken", "ServiceTimeout"})

Answer = dict[str, object]


class RefusedError(Exception):
    """The resource cannot be created or updated; the text is the one sentence the operator reads."""


def bounded(text: str, limit: int = REASON_BYTES) -> str:
    """Cut the middle out of a text so that it takes at most `limit` bytes as a JSON string.

    The middle goes because our sentences begin with what is wrong and end with where to look.
    Counted with every non-ASCII character escaped, which no JSON writer exceeds.
    """
    if _json_bytes(text) <= limit:
        return text
    mark = " … "
    head = _prefix(text, (limit - _json_bytes(mark)) * 2 // 3)
    tail = _prefix(text[::-1], limit - _json_bytes(head) - _json_bytes(mark))[::-1]
    return head + mark + tail


def _json_bytes(text: str) -> int:
    return len(json.dumps(text)) - len('""')


def _prefix(text: str, limit: int) -> str:
    kept, used = 0, 0
    for character in text:
        used += _json_bytes(character)
        if used > limit:
            break
        kept += 1
    return text[:kept]


def text_properties(event: Mapping[str, object], patterns: Mapping[str, re.Pattern[str]]) -> dict[str, str]:
    """Read the resource's properties: exactly those named, each a string its pattern matches in full.

    Raises:
        RefusedError: A property is missing, unknown, not a string or malformed; the sentence names it.
    """
    given = event.get("ResourceProperties")
    if not isinstance(given, Mapping):
        raise RefusedError("ResourceProperties: must be an object")
    if unknown := sorted(given.keys() - patterns.keys() - _GIVEN_BY_THE_FRAMEWORK):
        raise RefusedError(f"{_listed(unknown)}: not a property of this resource")
    if missing := sorted(patterns.keys() - given.keys()):
        raise RefusedError(f"{_listed(missing)}: required property is missing")
    read = {}
    for name, pattern in patterns.items():
        value = given[name]
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise RefusedError(f"{name}: {bounded(repr(value), 300)} does not match {pattern.pattern}")
        read[name] = value
    return read


def _listed(names: Iterable[str]) -> str:
    return bounded(", ".join(str(name) for name in names), 300)


def answer(event: Mapping[str, object], change: Callable[[], Answer]) -> Answer:
    """Answer one lifecycle event of a resource that owns nothing.

    Delete succeeds for any id, issued by us or not, and touches nothing. Create takes the resource's name in its
    stack as id; Update keeps the id it came with, since another one would make CloudFormation delete the old.

    Args:
        event: The custom resource request.
        change: Does the work of Create and Update; what it returns is added to the answer.

    Raises:
        RefusedError: Whatever went wrong, in at most REASON_BYTES bytes.
    """
    request = event.get("RequestType")
    if request == "Delete":
        return {"PhysicalResourceId": event.get("PhysicalResourceId")}
    if request not in ("Create", "Update"):
        raise RefusedError(bounded(f"RequestType: {request!r} is none of Create, Update, Delete"))
    try:
        physical_id = event["PhysicalResourceId" if request == "Update" else "LogicalResourceId"]
        return {"PhysicalResourceId": physical_id, **change()}
    except Exception as error:
        raise refusal(error) from error


def refusal(error: Exception) -> RefusedError:
    """Turn any exception into one whose text fits into the response."""
    text = str(error) if isinstance(error, RefusedError) else f"{type(error).__name__}: {error}"
    return RefusedError(bounded(text))
