"""Refuse an image whose scan by the registry found too much, or found nothing because there was none.

`on_event` belongs to the custom resource behind ImageScanGate. It reads the scan's findings and starts none.
"""

import re
import time
from collections.abc import Callable, Mapping
from functools import cache

import boto3

from image_scan import ScannedImage, Scanner, scan_result
from lifecycle import Answer, RefusedError, answer, bounded, text_properties
from patience import Patience
from scan_findings import SEVERITIES, UNRATED, ScanResult

PROPERTIES = {
    "RegistryId": re.compile(r"[0-9]{12}"),
    "RepositoryName": re.compile(r"[a-z0-9][a-z0-9._/-]{1,199}"),
    "Digest": re.compile(r"sha256:[0-9a-f]{64}"),
    # The severity from which on findings block; NEVER only reports.
    "BlockAtSeverity": re.compile(rf"NEVER|{'|'.join(SEVERITIES)}"),
    "HandlerVersion": re.compile(r"[!-~]{1,128}"),
}
SUMMARY_BYTES = 900
_SHOWN_NAMES = 10


def blocking(result: ScanResult, severity: str) -> tuple[str, ...]:
    """Return the severities of the result's findings that are at or above one, worst first.

    A finding that nobody has rated yet counts as the mildest.
    """
    blocked = {*SEVERITIES[SEVERITIES.index(severity) :], *(UNRATED if severity == SEVERITIES[0] else ())}
    return tuple(each for each in _worst_first() if each in blocked and result.counts.get(each))


def summary(result: ScanResult) -> str:
    """Say in one line what a scan came to."""
    if not result.is_result:
        return f"no result: {result.status}" + (f" ({result.description})" if result.description else "")
    found = [f"{result.counts[severity]} {severity}" for severity in _worst_first() if result.counts.get(severity)]
    return f"{result.status}: {', '.join(found) or 'no findings'}"


def _worst_first() -> tuple[str, ...]:
    return (*reversed(SEVERITIES), *sorted(UNRATED))


def judge(result: ScanResult, image: ScannedImage, severity: str) -> None:
    """Refuse an image by its scan.

    Raises:
        RefusedError: There is no result, or there are findings at or above the severity.
    """
    if not result.is_result:
        raise RefusedError(
            f"The scan of {image} has {bounded(summary(result), 400)}. Where findings block, that is no pass."
        )
    if blocked := blocking(result, severity):
        names = [name for each in blocked for name in result.names.get(each, ())]
        more = ", …" if len(names) > _SHOWN_NAMES else ""
        raise RefusedError(
            f"The scan of {image} found {summary(result).partition(': ')[2]}; blocked is {severity} and above: "
            f"{bounded(', '.join(names[:_SHOWN_NAMES]), 600)}{more}."
        )


def gate(
    event: Mapping[str, object], scanner: Callable[[], Scanner], patience: Patience, sleep: Callable[[float], None]
) -> Answer:
    """Judge the image that the event's properties name.

    Raises:
        RefusedError: A property is malformed, or the image is refused.
    """
    given = text_properties(event, PROPERTIES)
    image = ScannedImage(given["RegistryId"], given["RepositoryName"], given["Digest"])
    result = scan_result(scanner(), image, patience, sleep)
    if given["BlockAtSeverity"] != "NEVER":
        judge(result, image, given["BlockAtSeverity"])
    return {"Data": {"Summary": bounded(summary(result), SUMMARY_BYTES)}}


@cache
def _ecr() -> Scanner:
    return boto3.client("ecr")


def on_event(
    event: Mapping[str, object],
    _context: object,
    scanner: Callable[[], Scanner] = _ecr,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Answer:
    """Answer the provider framework; `scanner` makes the ECR client when one is needed."""
    return answer(event, lambda: gate(event, scanner, Patience(sleep, clock), sleep))
