"""What the doctor says about a healthy account, and about each way in which one can be ill."""

from collections.abc import Callable

import pytest
from botocore.exceptions import EndpointConnectionError, NoCredentialsError

from config.loader import load
from ops.doctor import examine
from ops.report import Line, State, exit_code
from tests.unit.ops.fake_account import BUCKET, DECISION_DIGEST, KEY_OF_MODEL, SETTINGS, FakeAccount, error

Break = Callable[[FakeAccount], object]


def _examined(*breaks: Break) -> dict[str, Line]:
    account = FakeAccount()
    for each in breaks:
        each(account)
    return {line.subject: line for line in examine(account.services(), SETTINGS)}


def test_healthy_environment_is_ok_in_every_line() -> None:
    """Whatever is looked at is told, nothing asks for an action, and the exit code is 0."""
    lines = _examined()

    assert {line.state for line in lines.values()} == {State.OK}
    assert not any(line.action for line in lines.values())
    assert exit_code(lines.values()) == 0
    assert {"credentials", "region", "quota ml.c6i.large", "images.chat", "images.decision_base"} <= lines.keys()
    assert {"key", "bucket", "model key", "repository", "build project"} <= lines.keys()
    assert {
        f"{kind} {what}" for kind in ("chat", "decision") for what in ("endpoint", "image", "model")
    } <= lines.keys()
    assert {
        f"stack semif-local-{name}" for name in ("artifact", "build", "chat", "decision", "monitoring")
    } <= lines.keys()


def _refuse(operation: str, code: str) -> Break:
    return lambda account: account.refused.update({operation: error(code)})


BROKEN: dict[str, tuple[Break, str, State, str, str]] = {
    "endpoint missing": (
        lambda account: account.endpoints.pop("semif-local-chat"),
        "chat endpoint",
        State.WRONG,
        "Could not find endpoint",
        "destroy semif-local-chat if it is still there, then deploy",
    ),
    "endpoint failed": (
        lambda account: account.endpoints.update({"semif-local-chat": "Failed"}),
        "chat endpoint",
        State.WRONG,
        "Failed: why",
        "docs/operations.md",
    ),
    "endpoint updating": (
        lambda account: account.endpoints.update({"semif-local-decision": "Updating"}),
        "decision endpoint",
        State.WARNING,
        "Updating",
        "wait",
    ),
    "other decision image": (
        lambda account: account.images[DECISION_DIGEST].update(tags=["f" * 40]),
        "decision image",
        State.WRONG,
        f"of content {'f' * 40}, this checkout is",
        "make deploy ENV=local",
    ),
    "other chat image": (
        lambda account: account.image.update(chat="1.dkr.ecr.x.y/llama-cpp@sha256:other"),
        "chat image",
        State.WRONG,
        "runs sha256:other, the file has sha256:",
        "make diff ENV=local",
    ),
    "other model": (
        lambda account: account.model_url.update(decision="s3://elsewhere/model.tar.gz"),
        "decision model",
        State.WRONG,
        f"runs s3://elsewhere/model.tar.gz, the file has s3://{BUCKET}/{KEY_OF_MODEL}",
        "make deploy ENV=local",
    ),
    "bucket gone": (_refuse("head_bucket", "404"), "bucket", State.WRONG, "is not there", "who deleted it"),
    "bucket denied": (_refuse("head_bucket", "403"), "bucket", State.WRONG, "403", "permission"),
    "archive gone": (
        lambda account: account.objects.clear(),
        "model key",
        State.WRONG,
        "is not in the bucket",
        "make deploy ENV=local",
    ),
    "image gone": (
        lambda account: account.images.pop(DECISION_DIGEST),
        "repository",
        State.WRONG,
        "holds no image",
        "make deploy ENV=local",
    ),
    "repository gone": (
        _refuse("describe_images", "RepositoryNotFoundException"),
        "repository",
        State.WRONG,
        "RepositoryNotFoundException",
        "who deleted it",
    ),
    "key to be deleted": (
        lambda account: setattr(account, "key_state", "PendingDeletion"),
        "key",
        State.WRONG,
        "will be deleted",
        "cancel-key-deletion",
    ),
    "pinned image gone": (
        lambda account: account.images.pop(SETTINGS.images.chat.digest),
        "images.chat",
        State.WRONG,
        "holds no image sha256:",
        "ops pin update local images.chat",
    ),
    "registry elsewhere": (
        _refuse("batch_get_image", "RepositoryNotFoundException"),
        "images.decision_base",
        State.WRONG,
        "RepositoryNotFoundException",
        "environment.registry_account",
    ),
    "quota too small": (
        lambda account: account.allowed.update({"ml.c6i.large": 2}),
        "quota ml.c6i.large",
        State.WRONG,
        "2 allowed, 3 needed",
        "Service Quotas",
    ),
    "quota for one fleet": (
        lambda account: account.allowed.update({"ml.c6i.large": 5}),
        "quota ml.c6i.large",
        State.WARNING,
        "6 while a fleet is replaced",
        "Service Quotas",
    ),
    "quotas denied": (
        _refuse("list_service_quotas", "AccessDeniedException"),
        "quotas",
        State.WARNING,
        "AccessDeniedException",
        "servicequotas:ListServiceQuotas",
    ),
    "nothing deployed": (
        lambda account: account.stacks.clear(),
        "stack semif-local-artifact",
        State.WRONG,
        "is not there",
        "make deploy ENV=local",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_broken_is_named_with_what_to_do(case: str) -> None:
    """Each broken thing has a line of its own with what was found and the next action; the exit code says so too."""
    act, subject, state, says, action = BROKEN[case]

    lines = _examined(act)

    line = lines[subject]
    assert line.state is state
    assert says in line.says
    assert action in line.action
    assert exit_code(lines.values()) == (2 if state is State.WRONG else 1)
    assert all(each.action for each in lines.values() if each.state is not State.OK)


def test_last_failed_build_is_told_in_its_own_words() -> None:
    """The sentence is that of the build's report; without one, that is said."""

    def fail(account: FakeAccount) -> None:
        account.builds.insert(0, {"id": "project:2", "buildStatus": "FAILED", "logs": {"groupName": "the-log"}})

    def report(account: FakeAccount) -> None:
        account.objects[BUCKET, "reports/project/2.json"] = b'{"status": "failed", "message": "wrong\\nbytes"}'

    assert "it left no report" in _examined(fail)["build project"].says
    line = _examined(fail, report)["build project"]
    assert (line.state, line.says) == (State.WARNING, "project:2 FAILED: wrong bytes [log group the-log]")


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("UPDATE_ROLLBACK_COMPLETE", State.WARNING),
        ("ROLLBACK_COMPLETE", State.WRONG),
        ("UPDATE_ROLLBACK_FAILED", State.WRONG),
        ("UPDATE_IN_PROGRESS", State.WARNING),
    ],
)
def test_rollback_is_told_with_its_reason(status: str, state: State) -> None:
    """What stands since a rollback is a warning, what stands on nothing is wrong; the first reason is told."""

    def roll_back(account: FakeAccount) -> None:
        account.status["chat"] = status
        account.events = [
            {
                "LogicalResourceId": "Endpoint",
                "ResourceStatus": "UPDATE_FAILED",
                "ResourceStatusReason": "no image",
            }
        ]

    line = _examined(roll_back)["stack semif-local-chat"]

    assert line.state is state
    assert status in line.says
    assert status == "UPDATE_IN_PROGRESS" or "Endpoint: no image" in line.says


@pytest.mark.parametrize(
    ("failure", "action"),
    [
        (error("ExpiredToken"), "sign in again"),
        (error("InvalidClientTokenId"), "these keys are not valid here"),
        (NoCredentialsError(), "sign in"),
        (EndpointConnectionError(endpoint_url="https://sts.invalid"), "network"),
    ],
)
def test_wrong_credentials_end_the_examination(failure: Exception, action: str) -> None:
    """Nothing else is asked: every further line would say the same."""
    account = FakeAccount()
    account.refused["get_caller_identity"] = failure

    (line,) = examine(account.services(), SETTINGS)

    assert (line.subject, line.state) == ("credentials", State.WRONG)
    assert action in line.action
    assert account.calls == ["get_caller_identity"]


def test_credentials_of_another_account_are_wrong() -> None:
    """Both accounts are named."""
    line = _examined(lambda account: account.caller.update(Account="111122223333"))["credentials"]

    assert "of account 111122223333, the environment's is 000000000000" in line.says


def test_denied_question_does_not_hide_the_others() -> None:
    """What cannot be looked at is wrong, and what comes after it is looked at."""
    lines = _examined(_refuse("list_stack_resources", "AccessDenied"))

    assert "cannot be looked at" in lines["builds"].says
    assert lines["chat endpoint"].state is State.OK


@pytest.mark.parametrize(
    ("allowed", "state"),
    [({}, State.WRONG), ({"ml.g5.2xlarge": 4}, State.WARNING)],
)
def test_pool_needs_one_member_that_the_account_may_have(allowed: dict[str, float], state: State) -> None:
    """Without any it cannot start; without some it has fewer to fall back on."""
    account = FakeAccount()
    account.allowed = allowed

    lines = {line.subject: line for line in examine(account.services(), load("prod"))}

    assert lines["quota decision pool"].state is state
    assert "ml.g4dn.2xlarge 0" in lines["quota decision pool"].says
