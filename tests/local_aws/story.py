"""An environment that changes: its file edited, its app synthesized, its stacks deployed by the CDK command line."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config.loader import ENVIRONMENTS_DIRECTORY
from local_aws.cdk_cli import Outcome
from local_aws.deployment import Deployment
from local_aws.emulator.image_registry import ImageRegistry
from local_aws.questions import Answers, ask, processes
from local_aws.session import Address
from local_aws.stand_in_image import StandInImage
from tests.local_aws.edited_assembly import edited
from tests.local_aws.stack_update import stack_status
from tests.template.synthesis import synthesize

Edit = tuple[str, str]


@dataclass
class Story:
    """One embedded AWS, and the environment file as the steps so far have left it."""

    deployment: Deployment
    folder: Path
    text: str = ""
    steps: int = field(default=0)

    def __post_init__(self) -> None:
        """Begin with the environment of the checkout, on one thread: two wait for each other on a busy machine."""
        self.text = (ENVIRONMENTS_DIRECTORY / "local.toml").read_text("utf-8")
        self.text, count = re.subn(r"^threads = 2$", "threads = 1", self.text, flags=re.MULTILINE)
        assert count

    @property
    def address(self) -> Address:
        """The way to the embedded AWS."""
        return self.deployment.address

    def edited(self, *edits: Edit) -> str:
        """Return the environment file with each pattern, found exactly once, replaced."""
        text = self.text
        for pattern, replacement in edits:
            text, count = re.subn(pattern, replacement, text, flags=re.MULTILINE | re.DOTALL)
            assert count == 1, f"{pattern!r} is {count} times in the environment file"
        return text

    def synthesized(self, text: str) -> Path:
        """Write the text as the environment file and return the app that it becomes."""
        self.steps += 1
        directory = self.environments(text)
        return synthesize("local", self.folder / f"app-{self.steps}", directory)

    def environments(self, text: str) -> Path:
        """Return a folder with the text as the file of the environment."""
        directory = self.folder / f"environments-{self.steps}"
        directory.mkdir(exist_ok=True)
        (directory / "local.toml").write_text(text, "utf-8")
        return directory

    def attempt(self, text: str, *stacks: str, import_existing: bool = False) -> Outcome:
        """Deploy the stacks of a file, all if none is named, and return what the command line says."""
        names = [f"semif-local-{stack}" for stack in stacks]
        return self.deployment.deploy(*names, assembly=self.synthesized(text), import_existing=import_existing)

    def attempt_edited(self, stack: str, edit: Callable[[str], str]) -> Outcome:
        """Deploy one stack of the environment as it is, its template edited, and return what the command line says."""
        name, assembly = f"semif-local-{stack}", self.synthesized(self.text)
        return self.deployment.deploy(name, assembly=edited(assembly, self.folder / f"edited-{self.steps}", name, edit))

    def become(self, text: str, *stacks: str, import_existing: bool = False) -> None:
        """Deploy the stacks of a file; it is the environment's from now on."""
        outcome = self.attempt(text, *stacks, import_existing=import_existing)
        assert outcome.code == 0, outcome.output[-4000:]
        self.text = text

    def ask(self) -> Answers:
        """Ask both endpoints."""
        return ask(self.address)

    def processes(self) -> dict[str, tuple[str, ...]]:
        """Return what tells the processes of both endpoints from others."""
        return processes(self.address)

    def status(self, stack: str) -> str:
        """Return a stack's status."""
        return stack_status(self.address.client("cloudformation"), f"semif-local-{stack}")

    def variant(self, endpoint: str) -> dict[str, Any]:
        """Return the production variant of the configuration that an endpoint runs."""
        sagemaker = self.address.client("sagemaker")
        config = sagemaker.describe_endpoint(EndpointName=endpoint)["EndpointConfigName"]
        (variant,) = sagemaker.describe_endpoint_config(EndpointConfigName=config)["ProductionVariants"]
        return dict(variant)

    def identity(self) -> dict[str, Any]:
        """Return what the decision container says that it serves."""
        identity: dict[str, Any] = self.ask().decision["model"]
        return identity

    def scalable_targets(self) -> list[Any]:
        """Return what scales."""
        scaling = self.address.client("application-autoscaling")
        targets: list[Any] = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]
        return targets

    def push(self, repository: str, tag: str, image: StandInImage) -> str:
        """Put an image into the registry as the operator and return its digest."""
        emulator = self.address.emulator
        # The registry asks a session only for its clients.
        session: Any = self.address
        ImageRegistry(emulator.url, emulator.certificate).push(session, repository, tag, image)
        return image.digest
