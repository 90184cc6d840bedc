"""A build runs when its content is not there, is followed by its own id, and speaks when it fails."""

import io
import json
from collections.abc import Callable, Mapping, Sequence
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


@pytest.mark.rule(
    "content that is there is not built again",
    tool="the handler, driven directly",
    emulated="CodeBuild's, S3's and ECR's answers",
)
@pytest.mark.parametrize("kind", ["s3", "ecr"])
def test_content_that_is_there_starts_no_build(kind: str) -> None:
    """The resource is complete at once, with an empty build id."""
    aws = FakeAws({CONTENT[kind]})
    event = request("Create", properties(kind))

    answered = on_event(event, None, aws.clients)

    assert answered["Data"] == {"BuildId": "", "ContentName": CONTENT[kind][1]}
    assert is_complete(event | answered, None, aws.clients) == {"IsComplete": True}
    assert not aws.started


@pytest.mark.parametrize("kind", ["s3", "ecr"])
def test_content_that_is_not_there_is_built_and_waited_for(kind: str) -> None:
    """The wait ends when our build has succeeded and its content is seen."""
    aws = FakeAws(builds=[build("IN_PROGRESS"), build("IN_PROGRESS"), build("SUCCEEDED")])
    event = request("Create", properties(kind))
    event |= on_event(event, None, aws.clients)

    first = is_complete(event, None, aws.clients)
    aws.content.add(CONTENT[kind])
    second, third = is_complete(event, None, aws.clients), is_complete(event, None, aws.clients)

    assert event["Data"] == {"BuildId": BUILD, "ContentName": CONTENT[kind][1]}
    assert [first, second, third] == [{"IsComplete": False}, {"IsComplete": False}, {"IsComplete": True}]


def test_a_request_delivered_twice_starts_one_build() -> None:
    """The idempotency token is that of the request; another request has another one."""
    aws = FakeAws()
    event = request("Create", properties())

    for delivered in (event, event, event | {"RequestId": "another"}):
        on_event(delivered, None, aws.clients)

    first, second, third = (call["idempotencyToken"] for call in aws.started)
    assert first == second != third
    assert {call["projectName"] for call in aws.started} == {"model-package"}


def test_a_failed_build_fails_with_the_sentence_it_left_and_the_place_of_its_log() -> None:
    """The operator reads what the build found, not that a command returned 1."""
    told = "hub/tiny.gguf has sha256 aa, pinned is sha256 bb."
    report = json.dumps({"status": "failed", "message": told}).encode()

    sentence = failure_of(FakeAws(builds=[build("FAILED")], reports={REPORT: report}))

    assert sentence == f"Build {BUILD} FAILED: {told} [log group /semif/build, stream 7f3c1b52]"


PHASES = [
    {"phaseType": "INSTALL", "phaseStatus": "SUCCEEDED", "contexts": [{"statusCode": "", "message": ""}]},
    {
        "phaseType": "BUILD",
        "phaseStatus": "FAILED",
        "contexts": [{"statusCode": "COMMAND_EXECUTION_ERROR", "message": "bash package.sh: exit status 1"}],
    },
    {"phaseType": "COMPLETED"},
]


@pytest.mark.parametrize(
    "report",
    [
        None,
        b"",
        b"\xff",
        b"[1]",
        b'{"status": "succeeded", "message": "all is well"}',
        b'{"status": "failed", "message": 7}',
        b'{"status": "failed"}',
    ],
)
def test_without_a_usable_report_the_failing_phase_speaks(report: bytes | None) -> None:
    """What CodeBuild knows is the second-best sentence."""
    reports = {} if report is None else {REPORT: report}

    sentence = failure_of(FakeAws(builds=[build("FAILED", phases=PHASES)], reports=reports))

    assert "phase BUILD FAILED COMMAND_EXECUTION_ERROR bash package.sh: exit status 1." in sentence


@pytest.mark.parametrize("status", ["FAILED", "FAULT", "TIMED_OUT", "STOPPED", "SOMETHING_NEW"])
def test_anything_but_success_is_a_failure(status: str) -> None:
    """Even when the content is there meanwhile, and with nothing to explain it."""
    aws = FakeAws({CONTENT["s3"]}, builds=[{"id": BUILD, "buildStatus": status}])

    assert f"Build {BUILD} {status}: It left no report." in failure_of(aws)


def test_a_log_without_a_group_is_named_by_its_link() -> None:
    """Where CodeBuild knows only a link, the link is given."""
    assert "[https://console/log]" in failure_of(
        FakeAws(builds=[build("FAILED", logs={"deepLink": "https://console/log"})])
    )


@pytest.mark.parametrize(
    "aws",
    [
        FakeAws(
            builds=[build("FAILED")],
            reports={REPORT: json.dumps({"status": "failed", "message": "\N{CLOUD}" * 999}).encode()},
        ),
        FakeAws(
            builds=[
                build(
                    "FAILED",
                    phases=[{"phaseType": "BUILD", "phaseStatus": "FAILED", "contexts": [{"message": "\x00" * 9999}]}],
                )
            ]
        ),
        FakeAws(builds=[build("FAILED", logs={"deepLink": "https://" + "\N{CLOUD}" * 999})]),
    ],
)
def test_a_long_failure_still_says_where_the_log_is(aws: FakeAws) -> None:
    """The response fits, and the log's place is never what is cut away."""
    assert failure_of(aws).endswith("]")


def test_a_sentence_and_a_place_both_too_long_are_both_kept_in_part() -> None:
    """Neither crowds the other out: the beginning of each is there."""
    report = json.dumps({"status": "failed", "message": "why " + "x" * 9000}).encode()
    aws = FakeAws(builds=[build("FAILED", logs={"deepLink": "https://log/" + "y" * 9000})], reports={REPORT: report})

    sentence = failure_of(aws)

    assert sentence.count("x") > 500
    assert "[https://log/yyy" in sentence


def test_an_endless_report_is_not_read_to_its_end() -> None:
    """A report is some hundred bytes; of a larger one no more than 16 KiB are taken, and it is not believed."""
    report = json.dumps({"status": "failed", "message": "x", "more": "y" * (1 << 20)}).encode()
    aws = FakeAws(builds=[build("FAILED", phases=PHASES)], reports={REPORT: report})

    assert "phase BUILD FAILED" in failure_of(aws)


def test_a_success_without_content_is_a_failure() -> None:
    """Success is observed, not assumed."""
    aws = FakeAws(builds=[build("SUCCEEDED")])

    assert f"{CONTENT['s3'][1]} is not in artifacts" in failure_of(aws)
    assert len(aws.slept) == 5


def test_content_that_appears_late_is_found() -> None:
    """A registry may answer a push before it shows the image."""
    aws = FakeAws({CONTENT["ecr"]}, builds=[build("SUCCEEDED")], hidden=3)

    assert is_complete(waiting("ecr"), None, aws.clients) == {"IsComplete": True}


def test_a_build_that_cannot_be_seen_at_once_is_asked_for_again() -> None:
    """CodeBuild may answer a start before it shows the build; one that stays unknown is a failure."""
    assert is_complete(waiting(), None, FakeAws(builds=[build("IN_PROGRESS")], unseen=3).clients) == {
        "IsComplete": False
    }
    assert "does not know it" in failure_of(FakeAws(unseen=99))


def test_an_error_of_the_look_is_no_absence() -> None:
    """A denied look must not start a build."""
    aws = FakeAws(error="AccessDenied")

    with pytest.raises(RefusedError, match="AccessDenied"):
        on_event(request("Create", properties()), None, aws.clients)

    assert not aws.started
    assert len(aws.slept) == 4


def test_a_look_that_is_denied_at_first_is_repeated() -> None:
    """The deployment that names new content widens the handler's policy seconds before it asks."""
    aws = FakeAws({CONTENT["s3"]}, error="403", denied=3)

    answered = on_event(request("Update", properties(), "id"), None, aws.clients)

    assert answered["BuildId"] == ""
    assert not aws.started


def test_a_wait_without_a_build_id_is_refused() -> None:
    """A wait never guesses which build it waits for."""
    with pytest.raises(RefusedError, match="BuildId"):
        is_complete(request("Create", properties()), None, FakeAws({CONTENT["s3"]}).clients)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"ContentKind": "S3"}, "ContentKind"),
        ({"ContentKind": True}, "ContentKind"),
        ({"ProjectName": ""}, "ProjectName"),
        ({"ContentName": "a b"}, "ContentName"),
        ({"Project": "x"}, "Project: not a property"),
    ],
)
@pytest.mark.parametrize("handler", [on_event, is_complete])
def test_a_malformed_property_is_refused_by_name(
    handler: Callable[..., dict[str, object]], changes: Mapping[str, object], sentence: str
) -> None:
    """Both halves read the same properties by the same rules."""
    with pytest.raises(RefusedError, match=sentence):
        handler(request("Create", properties(changes=changes)) | {"BuildId": ""}, None, FakeAws().clients)


def test_update_keeps_the_id_and_delete_asks_nobody() -> None:
    """The lifecycle is that of a resource that owns nothing."""

    def unreachable() -> Clients:
        raise AssertionError

    delete = request("Delete", {}, "whatever")

    assert (
        on_event(request("Update", properties(), "old id"), None, FakeAws().clients)["PhysicalResourceId"] == "old id"
    )
    assert on_event(delete, None, unreachable) == {"PhysicalResourceId": "whatever"}
    assert is_complete(delete, None, unreachable) == {"IsComplete": True}
