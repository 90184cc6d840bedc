"""A scan that is not there, not over, or of another image is no pass; the gate's lifecycle."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from botocore.exceptions import ClientError

from lifecycle import RefusedError
from scan_gate import on_event
from tests.unit.handlers.archives import request
from tests.unit.handlers.fake_scanner import FakeScanner, Page, event, failure, finding, look, page


def test_a_scan_under_way_is_waited_for() -> None:
    """From pending to complete, in pauses that double."""
    summary, scanner = look("HIGH", page("PENDING"), page("IN_PROGRESS"), page("IN_PROGRESS"), page())

    assert summary == "COMPLETE: no findings"
    assert scanner.slept == [2, 4, 8]


@pytest.mark.parametrize("status", ["PENDING", "IN_PROGRESS"])
def test_a_scan_that_never_ends_is_no_pass(status: str) -> None:
    """The wait is bounded, far below the function's ten minutes."""
    scanner = FakeScanner([page(status)])
    slept = scanner.slept

    with pytest.raises(RefusedError, match=f"has no result: {status}"):
        on_event(event(), None, lambda: scanner, slept.append, lambda: sum(slept))

    assert 300 < sum(slept) <= 420


@pytest.mark.rule(
    "a scan without a result is no pass where findings block",
    tool="the handler, driven directly",
    emulated="the registry's answers",
)
@pytest.mark.parametrize(
    "status",
    [
        "FAILED",
        "UNSUPPORTED_IMAGE",
        "SCAN_ELIGIBILITY_EXPIRED",
        "FINDINGS_UNAVAILABLE",
        "LIMIT_EXCEEDED",
        "IMAGE_ARCHIVED",
        "None",
    ],
)
def test_a_scan_without_a_result_is_no_pass(status: str) -> None:
    """Whatever the reason, the image was not looked at; the sentence has ECR's reason."""
    with pytest.raises(RefusedError, match=rf"has no result: {status} \(why\). Where findings block, that is no pass"):
        look("CRITICAL", page(status))


def test_an_image_that_was_never_scanned_is_no_pass() -> None:
    """A push begins a scan, so one that is not there for a quarter of a minute will not come."""
    scanner = FakeScanner([failure("ScanNotFoundException")])

    with pytest.raises(RefusedError, match="has no result: NOT_SCANNED"):
        on_event(event(), None, lambda: scanner, scanner.slept.append)

    assert scanner.slept == [1, 2, 4, 8]


def test_a_scan_that_begins_late_is_seen() -> None:
    """Right after a push there may be none yet."""
    absent = failure("ScanNotFoundException")

    assert look("HIGH", absent, absent, page("PENDING"), page())[0] == "COMPLETE: no findings"


@pytest.mark.parametrize(
    ("answers", "summary"),
    [
        ((page("COMPLETE", finding("CRITICAL", "CVE-1")),), "COMPLETE: 1 CRITICAL"),
        ((page("UNSUPPORTED_IMAGE"),), "no result: UNSUPPORTED_IMAGE (why)"),
        ((failure("ScanNotFoundException"),), "no result: NOT_SCANNED"),
    ],
)
def test_what_only_reports_never_refuses_an_image(answers: Sequence[Page | ClientError], summary: str) -> None:
    """The summary says what was found, or that nothing was looked at."""
    assert look("NEVER", *answers)[0] == summary


@pytest.mark.parametrize(
    "changes", [{"imageId": {"imageDigest": "sha256:" + "e" * 64}}, {"repositoryName": "other"}, {"imageId": {}}]
)
def test_an_answer_about_another_image_is_refused(changes: Mapping[str, Any]) -> None:
    """Findings of a neighbour say nothing."""
    with pytest.raises(RefusedError, match=r"Asked for findings of semif-decision@sha256:d+, .* answers about"):
        look("NEVER", page("COMPLETE", **changes))


def test_a_denial_is_asked_again_and_then_fails() -> None:
    """A policy may be new; and a permission that is missing is no report."""
    with pytest.raises(RefusedError, match="AccessDeniedException"):
        look("NEVER", failure("AccessDeniedException"))

    assert look("NEVER", failure("AccessDeniedException"), page())[1].slept == [1]


@pytest.mark.parametrize(
    "changes", [{"Digest": "latest"}, {"Digest": "sha256:" + "D" * 64}, {"BlockAtSeverity": "high"}, {"Mode": "off"}]
)
def test_a_malformed_property_is_refused_before_the_registry_is_asked(changes: Mapping[str, object]) -> None:
    """The sentence names the property."""

    def unreachable() -> FakeScanner:
        raise AssertionError

    with pytest.raises(RefusedError, match=next(iter(changes))):
        on_event(event(changes=changes), None, unreachable)


def test_update_keeps_the_id_and_delete_asks_nobody() -> None:
    """The lifecycle is that of a resource that owns nothing."""

    def unreachable() -> FakeScanner:
        raise AssertionError

    update = event() | {"RequestType": "Update", "PhysicalResourceId": "old id"}

    assert on_event(update, None, lambda: FakeScanner([page()]))["PhysicalResourceId"] == "old id"
    assert on_event(request("Delete", {}, "any"), None, unreachable) == {"PhysicalResourceId": "any"}
