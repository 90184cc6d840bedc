"""Outcomes counted by kind."""

from typing import Any

import pytest

from decision_client.audit.record import AnyRecord
from decision_client.audit.tally import review
from decision_client.audit.trail import Trail
from decision_client.outcome import Action, Outcome, Reason
from tests.unit.decision_client.audit.records import correction, decision, failure
from tests.unit.decision_client.samples import DEFINITION


def _trail(*records: AnyRecord) -> Trail:
    trail = Trail()
    trail.add((f"t:{number}", record.model_dump_json()) for number, record in enumerate(records, start=1))
    return trail


def _counts(*records: AnyRecord) -> dict[str, Any]:
    total = review(_trail(*records)).total.model_dump()
    return {
        kind: count for kind, count in total.items() if count and kind not in ("asked", "attempts", "override_rate")
    }


@pytest.mark.parametrize(
    ("error", "status", "code", "kind"),
    [
        ("EndpointBusyError", 503, "busy", "busy"),
        ("EndpointBusyError", 503, "deadline_exceeded", "timeouts"),
        ("DeadlineExceededError", None, "", "timeouts"),
        ("NoAnswerError", None, "", "timeouts"),
        ("ModelFailureError", 504, "", "timeouts"),
        ("ModelFailureError", 500, "internal", "endpoint_errors"),
        ("EndpointNotFoundError", 404, "", "endpoint_errors"),
        ("NotConnectedError", None, "", "endpoint_errors"),
        ("SomethingNewError", None, "", "endpoint_errors"),
        ("InvalidRequestError", 400, "empty", "malformed_requests"),
        ("TooSlowHereError", 400, "too_slow_here", "too_slow"),
        ("InvalidRequestError", 400, "too_slow_here", "too_slow"),
        ("NotAllowedError", 403, "", "not_allowed"),
    ],
)
def test_failure_is_of_one_kind(error: str, status: int | None, code: str, kind: str) -> None:
    """Lack of capacity, time, a slow machine, permission, a request's own fault and the endpoint's are told apart.

    That of a slow machine also in records that an earlier client wrote.
    """
    assert _counts(failure(1, error, status, code)) == {kind: 1}


def _outcome(action: Action, reason: Reason, *, calibrated: bool = True) -> Outcome:
    return Outcome(action, reason, 0.5, calibrated=calibrated)


@pytest.mark.parametrize(
    ("outcome", "scored", "kinds"),
    [
        (_outcome(Action.ACT, Reason.PROBABILITY), {}, {"acted"}),
        (_outcome(Action.REVIEW, Reason.PROBABILITY), {}, {"reviewed"}),
        (_outcome(Action.ABSTAIN, Reason.PROBABILITY), {}, {"abstentions"}),
        (_outcome(Action.ABSTAIN, Reason.ABSTAIN_OPTION), {"choice": "none"}, {"abstentions", "missing_options"}),
        (_outcome(Action.REVIEW, Reason.MASS), {}, {"reviewed", "missing_options"}),
        (_outcome(Action.REVIEW, Reason.MARGIN), {}, {"reviewed", "low_margin"}),
        (
            _outcome(Action.REVIEW, Reason.NO_POLICY, calibrated=False),
            {"choice": "none", "low_margin": True, "tie": True},
            {"reviewed", "missing_options", "low_margin", "ties", "uncalibrated"},
        ),
        (
            _outcome(Action.REVIEW, Reason.POLICY_MISMATCH, calibrated=False),
            {"low_mass": True},
            {"reviewed", "missing_options", "uncalibrated"},
        ),
    ],
)
def test_answer_is_of_every_kind_that_it_shows(outcome: Outcome, scored: dict[str, Any], kinds: set[str]) -> None:
    """By the policy's reason, or by the container's own flag where no policy covers the answer."""
    assert _counts(decision(1, outcome=outcome, scored=scored)) == dict.fromkeys({"answered", *kinds}, 1)


def test_last_override_of_a_decision_counts() -> None:
    """Changing one's mind is one correction or one confirmation; the rate is of what was answered, by definition."""
    first, second, third = decision(1), decision(2), decision(3)
    corrections = [(first, "billing"), (first, "account"), (second, "account"), (second, "none")]
    overrides = [correction(number, of, choice) for number, (of, choice) in enumerate(corrections)]

    found = review(_trail(first, second, third, failure(4, "DeadlineExceededError"), *overrides))

    assert (found.total.corrected, found.total.confirmed) == (1, 1)
    assert found.total.acted_corrected == 1
    assert found.definitions["support-route 1"].override_rate == pytest.approx(1 / 3)


def test_correction_of_what_was_not_acted_upon_is_told_apart() -> None:
    """A reviewer who decides otherwise has corrected nothing that a policy let through."""
    reviewed = decision(1, outcome=_outcome(Action.REVIEW, Reason.PROBABILITY))

    assert _counts(reviewed, correction(1, reviewed, "billing")) == {"answered": 1, "reviewed": 1, "corrected": 1}


def test_definitions_are_counted_apart() -> None:
    """A new version of a wording has its own counts, and a definition without answers has no rate."""
    newer = DEFINITION.reference.model_copy(update={"version": "2"})

    found = review(_trail(decision(1, attempts=3), failure(2, "EndpointBusyError", attempts=5, definition=newer)))

    assert {name: tally.asked for name, tally in found.definitions.items()} == {
        "support-route 1": 1,
        "support-route 2": 1,
    }
    assert [tally.override_rate for tally in found.definitions.values()] == [0, None]
    assert (found.total.asked, found.total.attempts) == (2, 8)


def test_two_wordings_of_one_version_are_said() -> None:
    """Their counts are of two questions; the same wording again, or another version, is none of it."""
    edited = DEFINITION.model_copy(update={"question": "Which queue?"}).reference
    newer = edited.model_copy(update={"version": "2"})

    assert review(_trail(decision(1), decision(2), decision(3, definition=newer))).reworded == ()
    assert review(_trail(decision(1), failure(2, "NoAnswerError", definition=edited))).reworded == ("support-route 1",)


def test_what_is_not_counted_is_said() -> None:
    """Lines that are no record, overrides of records that are elsewhere, a record written twice."""
    trail = _trail(decision(1), decision(1), correction(1, decision(2), "billing"))
    trail.add([("t:9", '{"kind": "decision"')])

    found = review(trail)

    assert (found.total.asked, found.overrides_of_unknown, found.broken_lines) == (1, 1, ("t:9",))


def test_record_without_hashes_is_counted() -> None:
    """Whoever reviews sees that the key could not be used."""
    assert _counts(decision(1, hashes=None)) == {"answered": 1, "acted": 1, "without_hashes": 1}
