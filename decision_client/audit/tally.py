"""What came of decisions, counted by kind: what a weekly review starts from."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated, Final

from pydantic import Field, computed_field

from decision_client.audit.record import DecisionRecord, Failure, FailureRecord, OverrideRecord
from decision_client.audit.trail import Trail
from decision_client.outcome import Action, Reason
from decision_client.values import Frozen

Count = Annotated[int, Field(ge=0)]
# By the client's exceptions; what is none of them is a fault of the endpoint.
_FAILURES: Final = {
    "EndpointBusyError": "busy",
    "DeadlineExceededError": "timeouts",
    "NoAnswerError": "timeouts",
    "InvalidRequestError": "malformed_requests",
    "NotAllowedError": "not_allowed",
}
_GATEWAY_TIMEOUT: Final = 504
_TOO_SLOW: Final = "too_slow_here"
_ACTIONS: Final = {Action.ACT: "acted", Action.REVIEW: "reviewed", Action.ABSTAIN: "abstentions"}


class Tally(Frozen):
    """Counts of one definition's version, or of all. A decision is in `answered` or in one kind of failure.

    Of `answered`, each is in one of `acted`, `reviewed` and `abstentions`; the kinds after them overlap.
    """

    asked: Count = 0
    answered: Count = 0
    endpoint_errors: Count = 0
    """The endpoint failed, was not found, or sent no answer to the request."""
    busy: Count = 0
    """Every attempt was refused for lack of capacity."""
    timeouts: Count = 0
    """The client's deadline passed or the endpoint's own, or nothing came within the socket's timeout."""
    malformed_requests: Count = 0
    """Refused for what they are."""
    too_slow: Count = 0
    """Refused because the container's machine could not answer in time, even with nobody ahead."""
    not_allowed: Count = 0
    """The caller has no credentials, or may not ask."""
    attempts: Count = 0
    """Requests sent; a shared one counts for each of its decisions."""
    refusals: Count = 0
    """Of these, refused for lack of capacity."""
    acted: Count = 0
    reviewed: Count = 0
    abstentions: Count = 0
    missing_options: Count = 0
    """None of the options fits: the abstain option was chosen, or the model wanted to say none of the letters."""
    low_margin: Count = 0
    """The two best were too close: by the policy, or by the container's flag."""
    ties: Count = 0
    uncalibrated: Count = 0
    """No policy covered the answer."""
    corrected: Count = 0
    """Answers whose last override is another option."""
    acted_corrected: Count = 0
    """Of these, answers that were acted upon: what a policy promises to be rare."""
    confirmed: Count = 0
    """Answers whose last override is the same option."""
    without_hashes: Count = 0
    """The key could not be used; these cannot be replayed."""

    @computed_field  # type: ignore[prop-decorator]  # pydantic's own advice for mypy
    @property
    def override_rate(self) -> float | None:
        """The share of answered decisions that somebody corrected; None without answers."""
        return self.corrected / self.answered if self.answered else None


class Review(Frozen):
    """Counts by definition as `name version`, what of the trail is in none of them, and what one of them mixes."""

    total: Tally
    definitions: dict[str, Tally]
    broken_lines: tuple[str, ...]
    overrides_of_unknown: Count
    reworded: tuple[str, ...] = ()
    """Definitions of which the trail has two wordings under one version, so that their counts are of two questions."""


def review(trail: Trail) -> Review:
    """Count a trail."""
    total: Counter[str] = Counter()
    by_definition: dict[str, Counter[str]] = {}
    wordings: dict[str, set[str]] = {}
    last: dict[str, OverrideRecord] = {}
    for override in sorted(trail.overrides.values(), key=lambda each: each.time):
        last[override.decision] = override
    for record in trail.asked.values():
        kinds = Counter(_kinds(record, last.get(record.id)))
        kinds |= Counter(attempts=record.attempts, refusals=record.refusals)
        total += kinds
        named = f"{record.definition.name} {record.definition.version}"
        by_definition[named] = by_definition.get(named, Counter()) + kinds
        wordings.setdefault(named, set()).add(record.definition.sha256)
    return Review(
        total=Tally(**total),
        definitions={name: Tally(**counts) for name, counts in sorted(by_definition.items())},
        broken_lines=tuple(trail.broken),
        overrides_of_unknown=sum(decision not in trail.asked for decision in last),
        reworded=tuple(sorted(name for name, digests in wordings.items() if len(digests) > 1)),
    )


def _kinds(record: DecisionRecord | FailureRecord, override: OverrideRecord | None) -> Iterator[str]:
    yield "asked"
    if record.hashes is None:
        yield "without_hashes"
    if isinstance(record, FailureRecord):
        yield _failed(record.failure)
    else:
        yield "answered"
        yield from _answered(record)
        if override:
            yield "confirmed" if override.agrees else "corrected"
            if record.outcome.action is Action.ACT and not override.agrees:
                yield "acted_corrected"


def _failed(failure: Failure) -> str:
    if failure.status == _GATEWAY_TIMEOUT or failure.code == "deadline_exceeded":
        return "timeouts"
    if failure.code == _TOO_SLOW:  # by the code, since older records have the error of a malformed request
        return "too_slow"
    return _FAILURES.get(failure.error, "endpoint_errors")


def _answered(record: DecisionRecord) -> Iterable[str]:
    scores, outcome = record.scores, record.outcome
    yield _ACTIONS[outcome.action]
    if scores.choice == record.abstain_option or scores.low_mass or outcome.reason is Reason.MASS:
        yield "missing_options"
    if scores.low_margin or outcome.reason is Reason.MARGIN:
        yield "low_margin"
    if scores.tie:
        yield "ties"
    if not outcome.calibrated:
        yield "uncalibrated"
