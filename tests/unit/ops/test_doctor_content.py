"""What the doctor says of a key, a bucket, a repository and builds that are not as they must be."""

import pytest

from ops.report import State
from tests.unit.ops.examination import Illness, assert_told, examined, refuse
from tests.unit.ops.fake_account import BUCKET, DECISION_DIGEST, FakeAccount

ILLNESSES = {
    "bucket gone": Illness(refuse("head_bucket", "404"), "bucket", State.WRONG, "is not there", "who deleted it"),
    "bucket denied": Illness(refuse("head_bucket", "403"), "bucket", State.WRONG, "403", "permission"),
    "archive gone": Illness(
        lambda account: account.objects.clear(),
        "model key",
        State.WRONG,
        "is not in the bucket",
        "make deploy ENV=local",
    ),
    "image gone": Illness(
        lambda account: account.images.pop(DECISION_DIGEST),
        "repository",
        State.WRONG,
        "holds no image",
        "make deploy ENV=local",
    ),
    "repository gone": Illness(
        refuse("describe_images", "RepositoryNotFoundException"),
        "repository",
        State.WRONG,
        "RepositoryNotFoundException",
        "who deleted it",
    ),
    "key to be deleted": Illness(
        lambda account: setattr(account, "key_state", "PendingDeletion"),
        "key",
        State.WRONG,
        "will be deleted",
        "cancel-key-deletion",
    ),
}


@pytest.mark.parametrize("illness", ILLNESSES.values(), ids=ILLNESSES.keys())
def test_what_is_broken_is_named_with_what_to_do(illness: Illness) -> None:
    """Each broken thing has a line of its own with what was found and the next action; the exit code says so too."""
    assert_told(illness)


def test_last_failed_build_is_told_in_its_own_words() -> None:
    """The sentence is that of the build's report; without one, that is said."""

    def fail(account: FakeAccount) -> None:
        account.builds.insert(0, {"id": "project:2", "buildStatus": "FAILED", "logs": {"groupName": "the-log"}})

    def report(account: FakeAccount) -> None:
        account.objects[BUCKET, "reports/project/2.json"] = b'{"status": "failed", "message": "wrong\\nbytes"}'

    assert "it left no report" in examined(fail)["build project"].says
    line = examined(fail, report)["build project"]
    assert (line.state, line.says) == (State.WARNING, "project:2 FAILED: wrong bytes [log group the-log]")
