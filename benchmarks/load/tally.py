"""Pure: the outcomes of one stage as figures, and all stages as a table."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any

from benchmarks.interval import percentile
from benchmarks.load.client import Outcome
from benchmarks.rows import aligned


@dataclass(frozen=True, slots=True)
class Tally:
    """One stage. Latencies are of right answers, from first attempt to answer, waits included; None without any.

    Attributes:
        requests: Requests that were begun.
        planned: Requests the stage would have begun with time enough.
        attempts: HTTP requests, retries included.
        unanswered: Requests whose client gave up.
        rejections: As clients saw them, by code.
        reasons: The same as the container's log tells them.
    """

    stage: str
    planned: int
    requests: int
    attempts: int
    right: int
    wrong: int
    unanswered: int
    decisions: int
    seconds: float
    p50: float | None
    p95: float | None
    p99: float | None
    rejections: dict[str, int]
    reasons: dict[str, int]
    faults: tuple[str, ...]

    @property
    def goodput(self) -> float:
        """Right answers a second."""
        return self.right / self.seconds

    @property
    def amplification(self) -> float:
        """HTTP requests for each request."""
        return self.attempts / max(1, self.requests)

    def as_json(self) -> dict[str, Any]:
        """The entry of build/load.json."""
        return {**asdict(self), "goodput": self.goodput, "amplification": self.amplification}


def reasons(log_lines: Iterable[str]) -> Counter[str]:
    """Counts the container's refusals for want of capacity by the reason its log gives."""
    found: Counter[str] = Counter()
    for line in log_lines:
        event = json.loads(line) if line.startswith("{") else {}
        if event.get("event") == "request" and event.get("status") == HTTPStatus.SERVICE_UNAVAILABLE:
            found[event.get("reason", event["code"])] += 1
    return found


def tally(stage: str, outcomes: Sequence[Outcome], log_lines: Iterable[str], *, planned: int, seconds: float) -> Tally:
    """Counts what became of a stage's requests."""
    right = [outcome.seconds for outcome in outcomes if outcome.decisions]
    faults = tuple(outcome.fault for outcome in outcomes if outcome.fault)
    rejections = sum((outcome.rejections for outcome in outcomes), Counter[str]())
    p50, p95, p99 = (percentile(right, share) if right else None for share in (0.50, 0.95, 0.99))
    return Tally(
        stage=stage,
        planned=planned,
        requests=len(outcomes),
        attempts=sum(outcome.attempts for outcome in outcomes),
        right=len(right),
        wrong=len(faults),
        unanswered=len(outcomes) - len(right) - len(faults),
        decisions=sum(outcome.decisions for outcome in outcomes),
        seconds=seconds,
        p50=p50,
        p95=p95,
        p99=p99,
        rejections=dict(sorted(rejections.items())),
        reasons=dict(sorted(reasons(log_lines).items())),
        faults=faults,
    )


_COUNTS = ("requests", "right", "wrong", "given up")
_RATES = ("goodput/s", "decisions/s", "p50 s", "p95 s", "p99 s", "amplification")


def table(tallies: Sequence[Tally]) -> str:
    """All stages, one line each."""
    lines: list[Sequence[str]] = [("stage", *_COUNTS, *_RATES, "rejections")]
    for each in tallies:
        counts = (each.right, each.wrong, each.unanswered)
        asked = f"{each.requests}" if each.requests == each.planned else f"{each.requests} of {each.planned}"
        latencies = ("-" if value is None else f"{value:.2f}" for value in (each.p50, each.p95, each.p99))
        rates = (f"{each.goodput:.2f}", f"{each.decisions / each.seconds:.2f}")
        rejections = ", ".join(f"{code} {count}" for code, count in (each.reasons or each.rejections).items())
        lines.append(
            (
                each.stage,
                asked,
                *map(str, counts),
                *rates,
                *latencies,
                f"{each.amplification:.2f}",
                rejections or "none",
            )
        )
    return "\n".join(aligned(lines))
