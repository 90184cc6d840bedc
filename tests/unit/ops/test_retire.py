"""What retiring an environment deletes, and what it leaves."""

import pytest

from config.loader import load
from ops.endpoints.retire import ProtectedError, Target, left, retire, targets
from ops.report import exit_code
from tests.unit.ops.fake_account import BUCKET, KEY, REPOSITORY, SETTINGS, FakeAccount, error

DELETIONS = ["delete_endpoint", "delete_endpoint_config", "delete_model"]


class SlowAccount(FakeAccount):
    """Deleting an endpoint takes until somebody has waited."""

    waited = 0

    def wait(self, _: float) -> None:
        """Be done after the third time."""
        self.waited += 1
        if self.waited % 3 == 0:
            self.endpoints = {name: status for name, status in self.endpoints.items() if status != "Deleting"}


def _deletions(account: FakeAccount) -> list[str]:
    return [call for call in account.calls if call.startswith("delete_")]


def test_endpoint_goes_before_what_it_uses() -> None:
    """Each endpoint is waited for, and then configuration and model are deleted; nothing else is."""
    account = SlowAccount()
    services = account.services()

    lines = [line for target in targets(services, SETTINGS) for line in retire(services, target, account.wait)]

    assert _deletions(account) == DELETIONS * 2
    assert (account.endpoints, account.configs, account.models) == ({}, {}, {})
    assert account.waited == 6
    assert all("is deleted" in line.says for line in lines)
    assert account.objects
    assert account.images


def test_second_run_finds_what_an_interrupted_one_left() -> None:
    """Without the endpoint the stacks still name its configuration and model; what is gone is no error."""
    account = SlowAccount()
    services = account.services()
    del account.endpoints["semif-local-chat"], account.configs["chat"]

    lines = [line for target in targets(services, SETTINGS) for line in retire(services, target, account.wait)]

    assert [line.says.partition(" ")[2] for line in lines] == ["was gone already"] * 2 + ["is deleted"] * 4
    again = [line for target in targets(services, SETTINGS) for line in retire(services, target, account.wait)]
    assert all("was gone already" in line.says for line in again)
    assert exit_code(again) == 0


def test_endpoint_that_stays_keeps_its_configuration() -> None:
    """What an endpoint may still use is not deleted."""
    account = FakeAccount()
    target = Target("chat", "semif-local-chat", ("chat",), ("chat",))

    lines = retire(account.services(), target, lambda _: None)

    assert "is still there after 20 minutes" in lines[0].says
    assert exit_code(lines) == 2
    assert _deletions(account) == ["delete_endpoint"]


def test_refused_deletion_is_not_taken_for_done() -> None:
    """Another error than absence is raised."""
    account = FakeAccount()
    account.refused["delete_endpoint"] = error("AccessDeniedException")

    with pytest.raises(Exception, match="AccessDenied"):
        retire(account.services(), Target("chat", "semif-local-chat", (), ()), lambda _: None)


def test_protected_environment_is_not_retired() -> None:
    """Protection is taken off on purpose, in the file."""
    with pytest.raises(ProtectedError, match="prod is protected"):
        targets(FakeAccount().services(), load("prod"))


def test_what_is_left_is_told_with_how_it_goes() -> None:
    """Bucket, repository, key, logs and roles stay, and each says how it is removed."""
    lines = {line.says: line for line in left(FakeAccount().services(), SETTINGS)}

    assert {BUCKET, REPOSITORY, KEY} <= lines.keys()
    assert "aws logs delete-log-group" in lines["/aws/sagemaker/Endpoints/semif-local-chat"].action
    assert all(line.action for line in lines.values())
