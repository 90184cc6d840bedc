"""A build runs when its content is not there, is followed by its own id, and counts when its content is seen."""

from collections.abc import Callable, Mapping

import pytest

from lifecycle import RefusedError
from run_build import Clients, is_complete, on_event
from tests.unit.handlers.archives import request
from tests.unit.handlers.fake_aws import BUILD, CONTENT, FakeAws, build, failure_of, properties, waiting


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


def test_a_look_that_stays_denied_names_the_permissions() -> None:
    """The answer to HeadObject has no body; the refusal names object and permissions in its place."""
    aws = FakeAws(error="403")

    with pytest.raises(RefusedError, match=r"s3://artifacts/models/.* cannot be looked for: s3:GetObject, or s3:List"):
        on_event(request("Create", properties()), None, aws.clients)


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
