"""`python -m tests.image`: the buildspec builds the real Dockerfile, and the image that it published answers.

Needs root, buildah and debootstrap. Everything stays under `.cache/image`, and what is started ends with this process.
"""

import contextlib
import fcntl
import json
import shutil
import signal
import sys
from urllib.parse import urlsplit

from config.loader import load
from local_aws.checkout import LLAMA_LIBRARIES, ROOT, SOURCE_MODEL
from local_aws.session import Address, LocalAws
from tests.image import host_pip, isolation, model_folders, self_test
from tests.image.added_files import AddedFile, bytes_by_folder, bytes_by_origin
from tests.image.build import Built, Recipe, check_dockerfile, files_added, stage_context
from tests.image.build_account import BuildAccount
from tests.image.build_cases import Builds
from tests.image.buildah import Storage, system_cache_covered
from tests.image.docker_settings import Settings
from tests.image.failure import StepFailedError
from tests.image.report import Report, say
from tests.image.serving import START_SECONDS, STRANGER, Serving, check_refusal, check_stop
from tests.image.stand_in_base import DIFFERENCE, base_name, stand_in_base

WORK = ROOT / ".cache" / "image"
RECORD = ROOT / "build" / "image.json"
SCRATCH = WORK / "scratch"
GOAL_BYTES = 120_000_000
TOP_DEPTH = 2
PACKAGE_DEPTH = 6
SHOWN_BYTES = 1_000_000
BUILD_STEPS = (
    "stand-in base",
    "Dockerfile",
    "registry",
    "unknown platform",
    "missing base",
    "failing self-test",
    "build",
    "build again",
    "two at once",
    "taken tag",
    "bytes added",
)
SERVE_STEPS = ("start", "decision", "SIGTERM", "any user", "flipped byte")
LAST_STEP = "illegal instruction"


def build_image(report: Report, storage: Storage) -> tuple[Recipe, Built]:
    """Run the steps up to an image that was published and pulled again."""
    with report.step("stand-in base") as step:
        base = stand_in_base(storage, LLAMA_LIBRARIES)
        step.result = f"{'cached' if base.cached else 'made'} as {base.by_digest[:40]}…"
    recipe = Recipe(base, stage_context(SCRATCH / "context"), host_pip.mounts(SCRATCH))
    with report.step("Dockerfile") as step:
        check_dockerfile(recipe.context)
        step.result = "takes only files of container/ and hashed wheels"
    with LocalAws(name="image") as aws:
        built = publish_image(report, storage, recipe, aws.address)
    with report.step("bytes added") as step:
        files = files_added(storage, recipe, built)
        say(_listing(files))
        total = sum(file.size for file in files)
        RECORD.parent.mkdir(exist_ok=True)
        # The benchmark's row on the image reads it.
        RECORD.write_text(json.dumps({"bytes_added": total}) + "\n", "utf-8")
        step.result = f"{total:,} of at most {GOAL_BYTES:,}"
        if total > GOAL_BYTES:
            raise StepFailedError(f"The image adds {total:,} bytes; the goal is at most {GOAL_BYTES:,}.")
    return recipe, built


def publish_image(report: Report, storage: Storage, recipe: Recipe, address: Address) -> Built:
    """Run the buildspec in all cases and return the image that it published."""
    settings = Settings(
        storage=str(WORK),
        scratch=str(SCRATCH),
        registry=urlsplit(address.emulator.url).netloc,
        certificate=address.emulator.certificate,
        mounts=[(str(mount.host), mount.inside) for mount in recipe.mounts],
    )
    with report.step("registry") as step:
        account = BuildAccount.prepare(address, settings.open_storage(), recipe.base, settings)
        step.result = f"holds the base as {account.base_digest[:19]}…"
    builds = Builds(account, storage, settings)
    for name, refused in (
        ("unknown platform", builds.refuse_platform),
        ("missing base", builds.refuse_base),
        ("failing self-test", builds.refuse_self_test),
    ):
        with report.step(name) as step:
            step.result = refused()
    with report.step("build") as step:
        digest, built = builds.publish()
        self_test.check_passed(built.output)
        step.result = f"published as {digest[:19]}…, self-test passed, wheels listed"
    with report.step("build again") as step:
        step.result = builds.find()
    with report.step("two at once") as step:
        step.result = builds.race()
    with report.step("taken tag") as step:
        step.result = builds.refuse_tag()
    return built


def serve_image(report: Report, storage: Storage, built: Built) -> None:
    """Run the steps that start the image."""
    good = model_folders.unpacked(SOURCE_MODEL, SCRATCH / "model")
    with storage.container(built.name) as root:
        serving = Serving.of(load("local"), built.image, root, SCRATCH)
        with serving.process(good) as process:
            with report.step("start") as step:
                process.wait_until_healthy(START_SECONDS)
                step.result = "/ping answers 200"
            with report.step("decision") as step:
                step.result = serving.check_decision(process)
            with report.step("SIGTERM") as step:
                step.result = check_stop(process)
        with report.step("any user") as step, serving.process(good, user=STRANGER) as process:
            process.wait_until_healthy(START_SECONDS)
            serving.check_decision(process)
            step.result = f"answers as {STRANGER}, {check_stop(process)}"
        with report.step("flipped byte") as step:
            wrong = model_folders.with_flipped_byte(SOURCE_MODEL, SCRATCH / "flipped")
            with serving.process(wrong) as process:
                step.result = check_refusal(process, named=serving.model.sha256)


def build_elsewhere(report: Report, storage: Storage, recipe: Recipe) -> None:
    """Run the step that shows what a build says on a processor that cannot run the library."""
    with report.step(LAST_STEP) as step:
        backends = SCRATCH / "backends"
        backends.mkdir()
        step.result = self_test.check_illegal_instruction(storage, recipe, LLAMA_LIBRARIES, backends)


def main() -> int:
    """Run every step and print the table; 0 only if all of them held."""
    report = Report((*BUILD_STEPS, *SERVE_STEPS, LAST_STEP))
    storage, base = Storage(WORK), base_name(LLAMA_LIBRARIES)
    with system_cache_covered(), contextlib.suppress(StepFailedError):
        _clear(storage, base)
        SCRATCH.mkdir()
        try:
            recipe, built = build_image(report, storage)
            serve_image(report, storage, built)
            build_elsewhere(report, storage, recipe)
        finally:
            say(f"\n{report.table()}\n\n{DIFFERENCE}")
            _clear(storage, base)
    return 0 if report.held else 1


def _clear(storage: Storage, base: str) -> None:
    """Leave nothing but the base in the storage: of the last run if it was killed, or of this one."""
    storage.clear(keep=base)
    shutil.rmtree(SCRATCH, ignore_errors=True)


def _listing(files: list[AddedFile]) -> str:
    """Lay out the bytes by top folder, by the folders (packages) that hold most of them, and by origin."""
    tops = [f"  {size:>12,}  {folder}" for folder, size in bytes_by_folder(files, TOP_DEPTH)]
    large = [
        f"  {size:>12,}    {folder}" for folder, size in bytes_by_folder(files, PACKAGE_DEPTH) if size > SHOWN_BYTES
    ]
    origins = [f"  {size:>12,}  {origin}" for origin, size in sorted(bytes_by_origin(files).items())]
    return "\n".join((*tops, "  of which above 1 MB:", *large, "  by origin:", *origins))


if __name__ == "__main__":
    if sentence := isolation.missing_prerequisite():
        sys.exit(sentence)
    if not isolation.is_inside():
        sys.exit(isolation.run_in_namespaces("tests.image"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("The image test was ended."))
    WORK.mkdir(parents=True, exist_ok=True)
    with (WORK / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("Another image test is running in this checkout.")
        sys.exit(main())
