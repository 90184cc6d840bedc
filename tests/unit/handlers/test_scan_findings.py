"""Findings of a scan, however they come, are counted and named, and block from a severity on."""

import pytest

from lifecycle import RefusedError
from tests.unit.handlers.archives import response_bytes
from tests.unit.handlers.fake_scanner import DIGEST, event, finding, look, page


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


def test_a_refusal_with_thousands_of_findings_fits_the_response() -> None:
    """Ten names are enough to begin with."""
    found = page("COMPLETE", *(finding("CRITICAL", f"CVE-{number}-{'x' * 200}") for number in range(3000)))

    with pytest.raises(RefusedError, match="found 3000 CRITICAL") as refused:
        look("HIGH", found)

    assert response_bytes(event(), str(refused.value)) <= 4096
