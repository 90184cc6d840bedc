"""What is known of one request, for its log line and its metrics."""

import hashlib
import time
from dataclasses import dataclass, field


def hashed(identifier: str) -> str:
    """An identifier as it may be logged: enough to find a request again, not to read it."""
    return hashlib.sha256(identifier.encode()).hexdigest()[:16]


@dataclass(slots=True)
class RequestRecord:
    """What is known of one request; fields that were never reached stay None and out of the log.

    Attributes:
        status: HTTP status of the answer.
        code: Why it is not 200.
        reason: Of a 503, what was missing: `no_place`, `too_late`, `stopping` or `deadline`.
        ids: Hashes of the decisions' ids.
        input_tokens: The shared prefix once and every suffix, whether decoded or resident.
        queue_seconds: From the end of counting tokens to the start of the operation.
        resident: Whether the state was there from an earlier request.
        low_mass, low_margin, ties: Number of decisions flagged so.
        error, trace: Of a 500 the exception's class and its frames, never its message.
        seconds: From the request's headers to its answer.
    """

    status: int = 0
    code: str | None = None
    reason: str | None = None
    retry_after_seconds: int | None = None
    body_bytes: int | None = None
    ids: list[str] | None = None
    shared: bool | None = None
    decisions: int | None = None
    input_tokens: int | None = None
    queue_seconds: float | None = None
    prefill_seconds: float | None = None
    suffix_seconds: float | None = None
    resident: bool | None = None
    low_mass: int | None = None
    low_margin: int | None = None
    ties: int | None = None
    error: str | None = None
    trace: list[str] | None = None
    seconds: float = 0.0
    started: float = field(default_factory=time.perf_counter)
