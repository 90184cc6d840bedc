"""A race of two builds holds only if both raced, both succeeded, and one of them published what is there."""

import pytest

from tests.image.build_run import Outcome
from tests.image.failure import StepFailedError
from tests.image.race import judge_race

DIGEST = f"sha256:{'a' * 64}"
IMAGE = "registry/repository:tag"
PUBLISHED = f"{IMAGE} is published as {DIGEST}."
FOUND = f"{IMAGE} is there as {DIGEST}, from another build of the same content."
EARLY = f"{IMAGE} is there already as {DIGEST}: nothing was built."
PUSHED = ("login", "buildx build .", f"push {IMAGE}")


def _build(message: str, status: str = "SUCCEEDED", calls: tuple[str, ...] = PUSHED) -> Outcome:
    return Outcome(status, 0, {"status": status.lower(), "message": message}, calls, "the log")


@pytest.mark.parametrize("messages", [(PUBLISHED, FOUND), (FOUND, PUBLISHED)])
def test_race_holds_whoever_wins_it(messages: tuple[str, str]) -> None:
    """The second to push finds the same content there and succeeds, too."""
    assert "both succeeded" in judge_race([_build(message) for message in messages], IMAGE, DIGEST)


@pytest.mark.parametrize(
    ("builds", "says"),
    [
        ([_build(PUBLISHED), _build(EARLY, calls=("login",))], "they did not race"),
        ([_build(PUBLISHED), _build("could not be pushed", "FAILED")], "came to: could not be pushed"),
        ([_build(PUBLISHED), _build(PUBLISHED)], "came to"),
        ([_build(FOUND), _build(FOUND)], "came to"),
        ([_build(PUBLISHED), _build(FOUND, "FAILED")], "came to"),
        ([_build(PUBLISHED), _build(FOUND.replace("a" * 64, "b" * 64))], "came to"),
    ],
)
def test_anything_else_is_no_race_that_held(builds: list[Outcome], says: str) -> None:
    """What both said stands in the failure, with their logs."""
    with pytest.raises(StepFailedError, match=says):
        judge_race(builds, IMAGE, DIGEST)
