"""What the doctor says of wrong credentials, quotas that are too small, and a registry that lacks what is pinned."""

import pytest
from botocore.exceptions import EndpointConnectionError, NoCredentialsError

from config.loader import load
from ops.doctor import examine
from ops.report import State
from tests.unit.ops.examination import Illness, assert_told, examined, refuse
from tests.unit.ops.fake_account import SETTINGS, FakeAccount, error

ILLNESSES = {
    "pinned image gone": Illness(
        lambda account: account.images.pop(SETTINGS.images.chat.digest),
        "images.chat",
        State.WRONG,
        "holds no image sha256:",
        "ops pin update local images.chat",
    ),
    "registry elsewhere": Illness(
        refuse("batch_get_image", "RepositoryNotFoundException"),
        "images.decision_base",
        State.WRONG,
        "RepositoryNotFoundException",
        "environment.registry_account",
    ),
    "quota too small": Illness(
        lambda account: account.allowed.update({"ml.c6i.large": 2}),
        "quota ml.c6i.large",
        State.WRONG,
        "2 allowed, 3 needed",
        "Service Quotas",
    ),
    "quota for one fleet": Illness(
        lambda account: account.allowed.update({"ml.c6i.large": 5}),
        "quota ml.c6i.large",
        State.WARNING,
        "6 while a fleet is replaced",
        "Service Quotas",
    ),
    "quotas denied": Illness(
        refuse("list_service_quotas", "AccessDeniedException"),
        "quotas",
        State.WARNING,
        "AccessDeniedException",
        "servicequotas:ListServiceQuotas",
    ),
}


@pytest.mark.parametrize("illness", ILLNESSES.values(), ids=ILLNESSES.keys())
def test_what_is_broken_is_named_with_what_to_do(illness: Illness) -> None:
    """Each broken thing has a line of its own with what was found and the next action; the exit code says so too."""
    assert_told(illness)


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
    line = examined(lambda account: account.caller.update(Account="111122223333"))["credentials"]

    assert "of account 111122223333, the environment's is 000000000000" in line.says


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
