"""CodeBuild, S3 and ECR in one fake, and the events and states of a build, for tests."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import pytest
from botocore.exceptions import ClientError

from lifecycle import RefusedError
from run_build import Clients, is_complete, on_event
from tests.unit.handlers.archives import request, response_bytes

BUILD = "model-package:7f3c1b52-0000-4000-8000-0123456789ab"
REPORT = "reports/model-package/7f3c1b52-0000-4000-8000-0123456789ab.json"
LOGS = {"groupName": "/semif/build", "streamName": "7f3c1b52"}


def absent(code: str, operation: str) -> ClientError:
    """The error by which a service says that something is not there."""
    return ClientError({"Error": {"Code": code, "Message": "not there"}}, operation)


@dataclass
class FakeAws:
    """CodeBuild, S3 and ECR in one.

    Attributes:
        content: The (location, name) pairs that can be seen.
        builds: The states of the build, one taken at each look, the last one again and again.
        reports: Report texts by key.
        unseen: How many looks at the build find nothing.
        hidden: How many looks at the content find nothing although it is there.
        error: The code with which looks at the content fail.
        denied: How many of them do.
    """

    content: set[tuple[str, str]] = field(default_factory=set)
    builds: list[dict[str, Any]] = field(default_factory=list)
    reports: dict[str, bytes] = field(default_factory=dict)
    unseen: int = 0
    hidden: int = 0
    error: str = ""
    denied: int = 1 << 30
    started: list[dict[str, str]] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)

    def clients(self) -> Clients:
        """This fake in each role."""
        return Clients(self, self, self, self.slept.append)

    def start_build(self, **call: str) -> dict[str, Any]:
        """Remember the start."""
        self.started.append(call)
        return {"build": {"id": BUILD}}

    def batch_get_builds(self, *, ids: Sequence[str]) -> dict[str, Any]:
        """Return the next state of our build; an older one that succeeded is never asked for."""
        assert list(ids) == [BUILD]
        if self.unseen:
            self.unseen -= 1
            return {"builds": [], "buildsNotFound": ids}
        return {"builds": [self.builds.pop(0) if len(self.builds) > 1 else self.builds[0]]}

    def _look(self, pair: tuple[str, str], error: ClientError) -> dict[str, Any]:
        if self.error and self.denied:
            self.denied -= 1
            raise absent(self.error, "Look")
        if pair not in self.content or self.hidden:
            self.hidden = max(0, self.hidden - 1)
            raise error
        return {}

    def head_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803 - S3's own spelling
        """Look for an object."""
        return self._look((Bucket, Key), absent("404", "HeadObject"))

    def describe_images(self, *, repositoryName: str, imageIds: Sequence[dict[str, str]]) -> dict[str, Any]:  # noqa: N803 - ECR's own spelling
        """Look for a tag."""
        pair = (repositoryName, imageIds[0]["imageTag"])
        return self._look(pair, absent("ImageNotFoundException", "DescribeImages"))

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803 - S3's own spelling
        """Read a report."""
        assert Bucket == "artifacts"
        if Key not in self.reports:
            raise absent("NoSuchKey", "GetObject")
        return {"Body": io.BytesIO(self.reports[Key])}


CONTENT = {"s3": ("artifacts", "models/a/b/model.tar.gz"), "ecr": ("semif-decision", "0123abcd")}


def properties(kind: str = "s3", changes: Mapping[str, object] = MappingProxyType({})) -> dict[str, object]:
    """The properties of one build, but for some changes."""
    location, name = CONTENT[kind]
    return {
        "ServiceToken": "arn",
        "ServiceTimeout": "3600",
        "ProjectName": "model-package",
        "ContentKind": kind,
        "ContentLocation": location,
        "ContentName": name,
        "ReportBucket": "artifacts",
        "HandlerVersion": "1",
        **changes,
    }


def build(status: str, **fields: object) -> dict[str, Any]:
    """One state of our build."""
    return {"id": BUILD, "buildStatus": status, "logs": LOGS, **fields}


def waiting(kind: str = "s3") -> dict[str, object]:
    """The event of a wait: the request with all that on_event answered, as the framework merges them."""
    event = request("Create", properties(kind))
    return event | on_event(event, None, FakeAws().clients)


def failure_of(aws: FakeAws) -> str:
    """Return the sentence that a wait ends with."""
    event = waiting()
    with pytest.raises(RefusedError) as refused:
        is_complete(event, None, aws.clients)
    assert response_bytes(event, str(refused.value)) <= 4096
    return str(refused.value)
