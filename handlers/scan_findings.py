"""Pure: what a scan found, counted by severity."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lifecycle import RefusedError

# From the mildest to the worst. Findings that nobody has rated yet have one of the other names.
SEVERITIES: Final = ("INFORMATIONAL", "LOW", "MEDIUM", "HIGH", "CRITICAL")
UNRATED: Final = frozenset({"UNDEFINED", "UNTRIAGED"})
ABSENT: Final = "NOT_SCANNED"
"""Our word for what ECR says with ScanNotFoundException."""
# The second one is what enhanced scanning, which never ends, says of an image that it has looked at.
RESULTS: Final = frozenset({"COMPLETE", "ACTIVE"})


@dataclass(frozen=True)
class ScanResult:
    """How a scan ended.

    Attributes:
        status: ECR's word, or ABSENT.
        description: ECR's sentence about it, or nothing.
        counts: Number of findings by severity; none without a result.
        names: Names of findings by severity.
    """

    status: str
    description: str
    counts: Mapping[str, int]
    names: Mapping[str, tuple[str, ...]]

    @property
    def is_result(self) -> bool:
        """Whether the scan has looked at the whole image."""
        return self.status in RESULTS


def counted(status: str, told: str, pages: list[Mapping[str, Any]]) -> ScanResult:
    """Count findings by severity: those listed, or the number that ECR gives itself, whichever is higher.

    Args:
        status: ECR's word for how the scan ended, one of RESULTS.
        told: ECR's sentence about it, or nothing.
        pages: Every page of its findings.

    Raises:
        RefusedError: A finding has a severity that is unknown here.
    """
    names: dict[str, list[str]] = {}
    claimed: Counter[str] = Counter()
    for page in pages:
        found = page.get("imageScanFindings", {})
        claimed |= Counter(found.get("findingSeverityCounts", {}))
        for finding in (*found.get("findings", []), *found.get("enhancedFindings", [])):
            names.setdefault(str(finding.get("severity")), []).append(_name(finding))
    counts = claimed | Counter({severity: len(listed) for severity, listed in names.items()})
    if unknown := sorted(counts.keys() - {*SEVERITIES, *UNRATED}):
        raise RefusedError(f"The scan has findings of a severity that is not known here: {', '.join(unknown)[:200]}.")
    return ScanResult(status, told, counts, {severity: tuple(listed) for severity, listed in names.items()})


def _name(finding: Mapping[str, Any]) -> str:
    details = finding.get("packageVulnerabilityDetails", {})
    return str(finding.get("name") or details.get("vulnerabilityId") or finding.get("title"))
