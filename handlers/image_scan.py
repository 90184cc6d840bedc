# ruff: noqa: N803 - the keywords of the client's call are ECR's own
"""What the registry's scan of one image found, waited for within bounds."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from botocore.exceptions import ClientError

from lifecycle import RefusedError
from patience import Patience
from propagation import PAUSES_SECONDS, until_allowed

# From the mildest to the worst. Findings that nobody has rated yet have one of the other names.
SEVERITIES: Final = ("INFORMATIONAL", "LOW", "MEDIUM", "HIGH", "CRITICAL")
UNRATED: Final = frozenset({"UNDEFINED", "UNTRIAGED"})
ABSENT: Final = "NOT_SCANNED"
"""Our word for what ECR says with ScanNotFoundException."""

# The second one is what enhanced scanning, which never ends, says of an image that it has looked at.
_RESULTS: Final = frozenset({"COMPLETE", "ACTIVE"})
_UNDER_WAY: Final = frozenset({"PENDING", "IN_PROGRESS"})
_PAGE_FINDINGS: Final = 1000
_MOST_PAGES: Final = 50


class Scanner(Protocol):
    """The one ECR call made here."""

    def describe_image_scan_findings(
        self,
        *,
        registryId: str,
        repositoryName: str,
        imageId: Any,  # noqa: ANN401 - boto3's stubs have a class of their own for it
        maxResults: int,
        nextToken: str = "",
    ) -> Mapping[str, Any]:
        """Return one page of findings."""


@dataclass(frozen=True)
class ScannedImage:
    """One image by its digest."""

    registry_id: str
    repository: str
    digest: str

    def __str__(self) -> str:
        return f"{self.repository}@{self.digest}"


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
        return self.status in _RESULTS


def scan_result(
    scanner: Scanner, image: ScannedImage, patience: Patience, sleep: Callable[[float], None]
) -> ScanResult:
    """Return what the scan of an image found, once it has ended or nobody waits any longer.

    A scan that is under way is waited for as long as there is patience, one that has not begun for a quarter of a
    minute: a push begins it.

    Raises:
        RefusedError: The registry answers about another image, with a severity unknown here, or without an end.
        ClientError: It cannot be asked.
    """
    unbegun = iter(PAUSES_SECONDS)
    while True:
        first = _page(scanner, image, {}, sleep)
        status = _status(first)
        if status == ABSENT and (pause := next(unbegun, None)) is not None:
            sleep(pause)
        elif status not in _UNDER_WAY or not patience.wait():
            break
    told = str(first.get("imageScanStatus", {}).get("description", ""))
    if status not in _RESULTS:
        return ScanResult(status, told, {}, {})
    return _counted(status, told, list(_pages(scanner, image, first, sleep)))


def _status(page: Mapping[str, Any]) -> str:
    return str(page.get("imageScanStatus", {}).get("status"))


def _page(
    scanner: Scanner, image: ScannedImage, page: Mapping[str, str], sleep: Callable[[float], None]
) -> Mapping[str, Any]:
    def ask() -> Mapping[str, Any]:
        return scanner.describe_image_scan_findings(
            registryId=image.registry_id,
            repositoryName=image.repository,
            imageId={"imageDigest": image.digest},
            maxResults=_PAGE_FINDINGS,
            **page,
        )

    try:
        answered = until_allowed(ask, sleep)
    except ClientError as error:
        if error.response["Error"]["Code"] != "ScanNotFoundException":
            raise
        return {"imageScanStatus": {"status": ABSENT}}
    digest = answered.get("imageId", {}).get("imageDigest")
    if (answered.get("repositoryName"), digest) != (image.repository, image.digest):
        raise RefusedError(f"Asked for findings of {image}, the registry answers about {digest}.")
    return answered


def _pages(
    scanner: Scanner, image: ScannedImage, first: Mapping[str, Any], sleep: Callable[[float], None]
) -> Iterator[Mapping[str, Any]]:
    page = first
    for _ in range(_MOST_PAGES):
        yield page
        token = page.get("nextToken")
        if not token:
            return
        page = _page(scanner, image, {"nextToken": token}, sleep)
        if _status(page) not in _RESULTS:
            raise RefusedError(f"The scan of {image} was {_status(first)} and is {_status(page)} while it is read.")
    raise RefusedError(f"The findings of {image} fill more than {_MOST_PAGES} pages.")


def _counted(status: str, told: str, pages: list[Mapping[str, Any]]) -> ScanResult:
    """Count findings by severity: those listed, or the number that ECR gives itself, whichever is higher."""
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
