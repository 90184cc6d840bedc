"""The built image as an endpoint would run it: started, asked, stopped, and started on a wrong file."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from config.model import ModelPin
from config.settings import Settings
from constructs_lib.container_environment import ContainerEnvironment
from ops.ask import SUPPORT_ROUTE, decision_sentence
from tests.image.answer import broken_promises
from tests.image.buildah import ImageConfig
from tests.image.container_process import ContainerProcess, container_process
from tests.image.failure import StepFailedError

START_SECONDS = 120.0
# SageMaker sends SIGKILL 30 s after SIGTERM; the product promises 25 s.
STOP_SECONDS = 25.0
STRANGER = "54321:54321"


@dataclass(frozen=True)
class Serving:
    """An image, the root of one container of it, and the Model that would run it."""

    image: ImageConfig
    root: Path
    model: ModelPin
    environment: Mapping[str, str]
    scratch: Path

    @classmethod
    def of(cls, settings: Settings, image: ImageConfig, root: Path, scratch: Path) -> "Serving":
        """Serve as the decision endpoint of these settings would, logs going to the scratch folder."""
        model, hosting = settings.model, settings.decision
        environment = ContainerEnvironment.of_decision(model, hosting, image_digest=image.digest)
        return cls(image, root, model, environment.variables, scratch)

    @contextlib.contextmanager
    def process(self, model_folder: Path, *, user: str | None = None) -> Iterator[ContainerProcess]:
        """Start the image's entrypoint on a model folder, as the image's own user or as `uid:gid`."""
        log = self.scratch / f"{model_folder.name}-{user or 'own-user'}.log"
        arguments = (self.root, self.image, self.environment)
        with container_process(*arguments, model=model_folder, user=user or self.image.user, log=log) as process:
            yield process

    def check_decision(self, process: ContainerProcess) -> str:
        """Ask the known decision over HTTP and return the answer in one line.

        Raises:
            StepFailedError: another status than 200, or an answer that breaks a promise.
        """
        status, answer = process.post("/invocations", {"decision": SUPPORT_ROUTE})
        if status != HTTPStatus.OK:
            raise StepFailedError(f"/invocations answered {status}: {answer}", process.output)
        if broken := broken_promises(answer["result"], SUPPORT_ROUTE, self.model, self.image.digest):
            raise StepFailedError(broken[0], "\n".join(broken))
        return decision_sentence(answer["result"])


def check_stop(process: ContainerProcess) -> str:
    """Send SIGTERM and return what the process came to.

    Raises:
        StepFailedError: it has not ended in time, or with another status than 0.
    """
    if status := process.terminate(STOP_SECONDS):
        raise StepFailedError(f"After SIGTERM the container ended with status {status}, not 0.", process.output)
    return "exit 0"


def check_refusal(process: ContainerProcess, named: str) -> str:
    """Wait for a start that must fail and return its status.

    Raises:
        StepFailedError: it became healthy, ended by a signal or with 0, or said something else than one sentence
            with `named` in it.
    """
    status = process.status_without_health(START_SECONDS)
    lines = process.output.strip().splitlines()
    if status <= 0:
        raise StepFailedError(
            f"The container ended with status {status}, not with a failure of its own.", process.output
        )
    if len(lines) != 1 or not lines[0].endswith(".") or named not in lines[0]:
        raise StepFailedError(f"The refused start did not say one sentence about {named}.", process.output)
    return f"exit {status}, one sentence names the digest"
