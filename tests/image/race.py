"""What two builds of one content at the same time must come to."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from config.content import image_tag
from tests.image.build_account import HOST, IMAGE_REPOSITORY, BuildAccount
from tests.image.build_run import Outcome, run_build
from tests.image.docker_settings import Settings
from tests.image.failure import StepFailedError


@dataclass(frozen=True)
class Machine:
    """What one of the builds runs on: its source, its docker, and the build's number."""

    source: Path
    settings: Settings
    number: int


def race(account: BuildAccount, machines: Sequence[Machine]) -> str:
    """Run the buildspec on all machines at once and return what that came to.

    Raises:
        StepFailedError: As `judge_race`.
    """
    tag = image_tag(account.base_digest, machines[0].source / "container")
    variables = account.project_variables(tag)

    def run(machine: Machine) -> Outcome:
        return run_build(account, machine.source, variables, machine.settings, number=machine.number)

    with ThreadPoolExecutor(len(machines)) as threads:
        outcomes = list(threads.map(run, machines))
    return judge_race(outcomes, f"{HOST}/{IMAGE_REPOSITORY}:{tag}", account.published().get(tag, ""))


def judge_race(outcomes: Sequence[Outcome], image: str, digest: str) -> str:
    """Return what the builds came to.

    Args:
        outcomes: Of the builds.
        image: Address and tag of what both built.
        digest: What the registry has under the tag, or nothing.

    Raises:
        StepFailedError: One of them did not build and push, one failed, or not exactly one says that it published.
    """
    logs = "\n".join(f"--- {outcome.status}: {outcome.message}\n{outcome.log}" for outcome in outcomes)
    for outcome in outcomes:
        if not any(call.startswith("push ") for call in outcome.calls):
            raise StepFailedError("One build had ended before the other one looked: they did not race.", logs)
    said = sorted(outcome.message for outcome in outcomes)
    wanted = [
        f"{image} is published as {digest}.",
        f"{image} is there as {digest}, from another build of the same content.",
    ]
    if [outcome.status for outcome in outcomes] != ["SUCCEEDED"] * 2 or said != sorted(wanted):
        raise StepFailedError(f"The builds came to: {' '.join(said)}", logs)
    return f"one published {digest[:19]}…, the other found it there; both succeeded"
