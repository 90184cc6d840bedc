"""A registry that answers what a scan found, and the gate's handler driven with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from botocore.exceptions import ClientError

from scan_gate import on_event
from tests.unit.handlers.archives import request

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
