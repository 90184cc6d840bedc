"""An image passes its scan, or a sentence says what was found or that nothing was looked at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import pytest
from botocore.exceptions import ClientError

from lifecycle import RefusedError
from scan_gate import on_event
from tests.unit.handlers.archives import request, response_bytes

DIGEST = "sha256:" + "d" * 64
Page = Mapping[str, Any]


def finding(severity: str, name: str) -> dict[str, str]:
    """A finding of a basic scan."""
    return {"severity": severity, "name": name}


def page(status: str = "COMPLETE", *findings: Mapping[str, Any], token: str = "", **fields: Any) -> dict[str, Any]:
    """One page of an answer about the image."""
    return {
        "registryId": "111122223333",
        "repositoryName": "semif-decision",
        "imageId": {"imageDigest": DIGEST},
        "imageScanStatus": {"status": status, "description": "why"},
        "imageScanFindings": {"findings": findings, "findingSeverityCounts": {}},
        **({"nextToken": token} if token else {}),
        **fields,
    }


@dataclass
class FakeScanner:
    """A registry that gives these answers, one a call, the last one again and again; an error is raised."""

    answers: Sequence[Page | ClientError]
    asked: list[dict[str, Any]] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)

    def describe_image_scan_findings(self, **call: Any) -> Page:
        """Return or raise the next answer."""
        answered = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append(call)
        if isinstance(answered, ClientError):
            raise answered
        return answered


def failure(code: str) -> ClientError:
    """An error as ECR gives it."""
    return ClientError({"Error": {"Code": code, "Message": "m"}}, "DescribeImageScanFindings")


def event(severity: str = "HIGH", changes: Mapping[str, object] = MappingProxyType({})) -> dict[str, object]:
    """A create that blocks from a severity on, with some properties changed."""
    given = {
        "RegistryId": "111122223333",
        "RepositoryName": "semif-decision",
        "Digest": DIGEST,
        "BlockAtSeverity": severity,
        "HandlerVersion": "1",
    }
    return request("Create", {**given, **changes})


def look(severity: str, *answers: Page | ClientError) -> tuple[str, FakeScanner]:
    """Drive the handler and return its summary; the clock is what was slept."""
    scanner = FakeScanner(answers)
    slept = scanner.slept
    answered = on_event(event(severity), None, lambda: scanner, slept.append, lambda: sum(slept))
    data = answered["Data"]
    assert isinstance(data, dict)
    return data["Summary"], scanner


def test_an_image_with_milder_findings_passes() -> None:
    """What was found is told all the same, and exactly this digest was asked for."""
    summary, scanner = look("HIGH", page("COMPLETE", finding("MEDIUM", "CVE-1"), finding("LOW", "CVE-2")))

    assert summary == "COMPLETE: 1 MEDIUM, 1 LOW"
    assert [call["imageId"] for call in scanner.asked] == [{"imageDigest": DIGEST}]
    assert scanner.slept == []


def test_an_image_without_findings_passes() -> None:
    """A finished scan that found nothing is a pass."""
    assert look("INFORMATIONAL", page())[0] == "COMPLETE: no findings"


@pytest.mark.rule(
    "an image with findings at or above the severity of its environment is not deployed",
    tool="the handler, driven directly",
    emulated="the registry's answers",
)
@pytest.mark.parametrize("severity", ["HIGH", "CRITICAL"])
def test_a_finding_at_or_above_the_severity_is_refused_by_name(severity: str) -> None:
    """The sentence has the image's digest, all counts, and the names of what blocks."""
    found = page("COMPLETE", finding("LOW", "CVE-1"), finding(severity, "CVE-2"))

    with pytest.raises(RefusedError) as refused:
        look("HIGH", found)

    assert str(refused.value) == (
        f"The scan of semif-decision@{DIGEST} found 1 {severity}, 1 LOW; blocked is HIGH and above: CVE-2."
    )


def test_findings_of_every_page_count() -> None:
    """The one that blocks may be the last."""
    pages = (page("COMPLETE", finding("LOW", "CVE-1"), token="a"), page("COMPLETE", token="b"))

    with pytest.raises(RefusedError, match="CVE-3"):
        look("HIGH", *pages, page("COMPLETE", finding("HIGH", "CVE-3")))


def test_pages_are_asked_for_with_the_token_of_the_one_before() -> None:
    """Each page is of the same image."""
    _, scanner = look("HIGH", page("COMPLETE", token="a"), page("COMPLETE", token="b"), page())

    assert [call.get("nextToken") for call in scanner.asked] == [None, "a", "b"]
    assert {call["imageId"]["imageDigest"] for call in scanner.asked} == {DIGEST}


def test_pages_without_an_end_are_refused() -> None:
    """An answer that never ends is no result."""
    with pytest.raises(RefusedError, match="more than 50 pages"):
        look("HIGH", page("COMPLETE", token="again"))


def test_counts_without_findings_count() -> None:
    """If ECR counts more than it lists, its number is believed."""
    counted = page("COMPLETE", imageScanFindings={"findings": [], "findingSeverityCounts": {"CRITICAL": 2}})

    with pytest.raises(RefusedError, match="found 2 CRITICAL"):
        look("CRITICAL", counted)


def test_findings_of_enhanced_scanning_count() -> None:
    """They have another form and the status ACTIVE, since that scan never ends."""
    details = {"severity": "CRITICAL", "packageVulnerabilityDetails": {"vulnerabilityId": "CVE-9"}}

    with pytest.raises(RefusedError, match="CVE-9"):
        look("HIGH", page("ACTIVE", imageScanFindings={"enhancedFindings": [details]}))


@pytest.mark.parametrize("severity", ["UNDEFINED", "UNTRIAGED"])
def test_a_finding_that_nobody_has_rated_counts_as_the_mildest(severity: str) -> None:
    """It blocks only where everything does."""
    assert look("LOW", page("COMPLETE", finding(severity, "CVE-1")))[0] == f"COMPLETE: 1 {severity}"
    with pytest.raises(RefusedError, match="CVE-1"):
        look("INFORMATIONAL", page("COMPLETE", finding(severity, "CVE-1")))


@pytest.mark.parametrize("severity", ["NEVER", "CRITICAL"])
def test_a_severity_that_is_not_known_is_refused(severity: str) -> None:
    """Nobody here can say whether it is a pass."""
    with pytest.raises(RefusedError, match="severity that is not known here: APOCALYPTIC"):
        look(severity, page("COMPLETE", finding("APOCALYPTIC", "CVE-1")))


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


def test_a_refusal_with_thousands_of_findings_fits_the_response() -> None:
    """Ten names are enough to begin with."""
    found = page("COMPLETE", *(finding("CRITICAL", f"CVE-{number}-{'x' * 200}") for number in range(3000)))

    with pytest.raises(RefusedError, match="found 3000 CRITICAL") as refused:
        look("HIGH", found)

    assert response_bytes(event(), str(refused.value)) <= 4096
