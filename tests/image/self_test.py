"""What the self-test inside a build came to, where the build's processor can run it and where it cannot."""

from pathlib import Path
from typing import Literal

from tests.image.build import NAME, Recipe
from tests.image.buildah import Mount, Storage
from tests.image.failure import StepFailedError
from tests.image.illegal_instruction import with_illegal_instruction

Outcome = Literal["passed", "not run here", "both", "silent"]
LIBRARY_FOLDER = "/opt/llama.cpp/bin"
_PASSED = "self-test passed"
_NOT_RUN = "not run here"


def outcome(build_output: str) -> Outcome:
    """Return what a build's output says of the self-test.

    The lines in which the build repeats its own instructions do not count.
    """
    lines = [line for line in build_output.splitlines() if not line.startswith("STEP ")]
    passed = any(_PASSED in line for line in lines)
    not_run = any(_NOT_RUN in line for line in lines)
    if passed and not_run:
        return "both"
    if passed:
        return "passed"
    return "not run here" if not_run else "silent"


def check_passed(build_output: str) -> None:
    """Refuse a build whose self-test did not pass on this machine.

    Raises:
        StepFailedError: the output says something else.
    """
    if (found := outcome(build_output)) != "passed":
        raise StepFailedError(
            f"The build succeeded, but its self-test did not say that it passed ({found}).", build_output
        )


def check_illegal_instruction(storage: Storage, recipe: Recipe, libraries: Path, scratch: Path) -> str:
    """Build again where every CPU backend holds an undefined instruction, and return what the build came to.

    Args:
        storage: Where the base is.
        recipe: What the image is made from.
        libraries: The folder of libllama and its backends.
        scratch: An empty folder for the changed backends.

    Raises:
        StepFailedError: the build did not say that the self-test was not run here, or said that it passed.
    """
    mounts = list(recipe.mounts)
    for backend in sorted(libraries.glob("libggml-cpu-*.so")):
        with_illegal_instruction(backend, scratch / backend.name)
        mounts.append(Mount(scratch / backend.name, f"{LIBRARY_FOLDER}/{backend.name}"))
    name = f"{NAME}:illegal-instruction"
    done = storage.build(recipe.context, name=name, base=recipe.base.by_digest, label=recipe.tag, mounts=mounts)
    output = done.stdout + done.stderr
    if (found := outcome(output)) != "not run here":
        raise StepFailedError(f"A self-test that could not run was not reported as such ({found}).", output)
    return f"reported as not run here; the build {'fails' if done.returncode else 'goes on'}"
