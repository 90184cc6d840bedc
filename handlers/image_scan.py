# ruff: noqa: N803 - the keywords of the client's call are ECR's own
"""The registry's scan of one image, waited for within bounds and read to its last page."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from botocore.exceptions import ClientError

from lifecycle import RefusedError
from patience import Patience
from propagation import PAUSES_SECONDS, until_allowed
from scan_findings import ABSENT, RESULTS, ScanResult, counted

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
    if status not in RESULTS:
        return ScanResult(status, told, {}, {})
    return counted(status, told, list(_pages(scanner, image, first, sleep)))


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
        if _status(page) not in RESULTS:
            raise RefusedError(f"The scan of {image} was {_status(first)} and is {_status(page)} while it is read.")
    raise RefusedError(f"The findings of {image} fill more than {_MOST_PAGES} pages.")
