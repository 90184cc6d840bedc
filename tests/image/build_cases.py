"""The builds that must publish an image, find one, or publish nothing; each by the buildspec itself."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from config.content import image_tag
from tests.image.build import CONTENT_LABEL, NAME, Built
from tests.image.build_account import HOST, IMAGE_REPOSITORY, BuildAccount, push
from tests.image.build_run import Outcome, run_build, stage_source
from tests.image.buildah import Storage
from tests.image.docker_settings import Settings
from tests.image.failure import StepFailedError
from tests.image.published import check_published
from tests.image.race import Machine, race

NOWHERE = "sha256:" + "0" * 64
_KNOWN_LOGITS, _OTHER_LOGITS = "GOLDEN_LOGITS = (-", "GOLDEN_LOGITS = ("
_READING = ("image inspect ", "buildx imagetools inspect ")


class Builds:
    """The builds of one account, one after another."""

    def __init__(self, account: BuildAccount, storage: Storage, settings: Settings) -> None:
        self._account, self._storage, self._settings = account, storage, settings
        self._count = 0

    def publish(self) -> tuple[str, Built]:
        """Build the checkout's image; return the digest and the image, pulled again from the registry.

        Raises:
            StepFailedError: It was not published as it should.
        """
        source = self._source()
        tag = image_tag(self._account.base_digest, source / "container")
        outcome = self._run(source, tag)
        digest = self._account.published().get(tag, "")
        if (
            outcome.status != "SUCCEEDED"
            or outcome.message != f"{HOST}/{IMAGE_REPOSITORY}:{tag} is published as {digest}."
        ):
            raise StepFailedError(f"The build {outcome.status}, its report: {outcome.message}", outcome.log)
        pushed = next(number for number, call in enumerate(outcome.calls) if call.startswith("push "))
        if late := [call for call in outcome.calls[pushed + 1 :] if not call.startswith(_READING)]:
            raise StepFailedError("The push was not the last thing that was done.", "\n".join(late))
        check_published(self._account, tag, digest, source / "container" / "requirements.txt")
        name = f"{self._settings.registry}/{IMAGE_REPOSITORY}@{digest}"
        self._settings.open_storage().run("pull", name, failure=f"{name} cannot be pulled.")
        image = self._storage.image(name)
        if image is None or image.digest != digest:
            raise StepFailedError(f"What was pulled is not {digest}.")
        return digest, Built(name, image, outcome.log)

    def find(self) -> str:
        """Build the same again and return what that came to.

        Raises:
            StepFailedError: It was built again, or the build failed.
        """
        source, before = self._source(), self._account.published()
        outcome = self._run(source, image_tag(self._account.base_digest, source / "container"))
        if outcome.status != "SUCCEEDED" or "is there already as sha256:" not in outcome.message:
            raise StepFailedError(f"The second build {outcome.status}: {outcome.message}", outcome.log)
        if built := [call for call in outcome.calls if call.startswith(("push ", "buildx build "))]:
            raise StepFailedError("The second build built or pushed.", "\n".join(built))
        self._check_unchanged(before)
        return "found, nothing built or pushed"

    def race(self) -> str:
        """Build one new content on two machines at the same time and return what that came to.

        Raises:
            StepFailedError: They did not race, one of them failed, or they do not agree on what is published.
        """
        machines: list[Machine] = []
        for name in ("first", "second"):
            source = self._source()
            (source / "container" / "race").write_text("Another content, and so another tag.\n", "utf-8")
            machines.append(Machine(source, self._settings.of_machine(name), self._count))
        return race(self._account, machines)

    def refuse_platform(self) -> str:
        """Ask for a platform that nobody knows."""
        return self._refuse("IMAGE_PLATFORM: linux/riscv64 does not match", {"IMAGE_PLATFORM": "linux/riscv64"})

    def refuse_base(self) -> str:
        """Build on a base that is not in its registry."""
        return self._refuse(f"The base image .*@{NOWHERE} is not there", {"BASE_DIGEST": NOWHERE})

    def refuse_self_test(self) -> str:
        """Build a container whose self-test knows other logits than the library computes."""

        def edit(container: Path) -> None:
            file = container / "semif" / "golden.py"
            text = file.read_text("utf-8")
            if _KNOWN_LOGITS not in text:
                raise StepFailedError(f"container/semif/golden.py does not say {_KNOWN_LOGITS}.")
            file.write_text(text.replace(_KNOWN_LOGITS, _OTHER_LOGITS), "utf-8")

        return self._refuse("could not be built: .* self-test", edit=edit, printed="the self-test's logits are")

    def refuse_tag(self) -> str:
        """Build where something else has been pushed under the tag."""

        def edit(container: Path) -> None:
            (container / "other").write_text("Another content, and so another tag.\n", "utf-8")
            tag, name = image_tag(self._account.base_digest, container), f"{NAME}:other"
            empty = self._storage.run("from", "scratch", failure="An empty image cannot be made.")
            self._storage.run("config", f"--label={CONTENT_LABEL}=other", empty, failure="No label can be set.")
            self._storage.run("commit", "--format=docker", "--rm", empty, name, failure="It cannot be committed.")
            to = f"{self._settings.registry}/{IMAGE_REPOSITORY}:{tag}"
            push(self._settings.open_storage(), name, to, Path(self._settings.scratch))

        return self._refuse("is there as sha256:.*, but is labelled semif.content = other", edit=edit)

    def _refuse(
        self,
        sentence: str,
        changes: Mapping[str, str] | None = None,
        *,
        edit: Callable[[Path], None] | None = None,
        printed: str = "",
    ) -> str:
        """Run a build that must end with 1, a sentence in its report, a text in its log, and nothing published.

        Raises:
            StepFailedError: It did not.
        """
        source, changed = self._source(), changes or {}
        if edit:
            edit(source / "container")
        before = self._account.published()
        base = changed.get("BASE_DIGEST", self._account.base_digest)
        outcome = self._run(source, image_tag(base, source / "container"), changed)
        if (outcome.status, outcome.code) != ("FAILED", 1) or not re.search(sentence, outcome.message):
            raise StepFailedError(f"The build {outcome.status} with {outcome.code}: {outcome.message}", outcome.log)
        if printed not in outcome.log:
            raise StepFailedError(f"The build failed, but its log does not say: {printed}", outcome.log)
        self._check_unchanged(before)
        return "exit 1, its sentence in the report, nothing published"

    def _check_unchanged(self, before: Mapping[str, str]) -> None:
        if (after := self._account.published()) != before:
            raise StepFailedError("The build changed what is published.", f"{before}\n{after}")

    def _source(self) -> Path:
        self._count += 1
        return stage_source(Path(self._settings.scratch) / f"source-{self._count}")

    def _run(self, source: Path, tag: str, changes: Mapping[str, str] | None = None) -> Outcome:
        variables = {**self._account.project_variables(tag), **(changes or {})}
        return run_build(self._account, source, variables, self._settings, number=self._count)
