"""One run of the image's build: its buildspec, read and carried out as CodeBuild would, with a `docker` of our own."""

import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from local_aws.checkout import ROOT
from local_aws.emulator.build import BuildRecord, run_phases
from local_aws.emulator.build_shell import BuildShell
from local_aws.emulator.buildspec import parse
from tests.image.build import stage_context
from tests.image.build_account import PROJECT, BuildAccount
from tests.image.docker_settings import SETTINGS, Settings
from tests.image.failure import StepFailedError
from tests.image.isolation import AWS_CLI

BUILD = ROOT / "builds" / "decision_image"
_AWS_VARIABLES = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_CA_BUNDLE",
)


@dataclass(frozen=True)
class Outcome:
    """What a build came to.

    Attributes:
        status: CodeBuild's word.
        code: Exit status of the command that failed, or 0.
        report: What it left for the deployment: status and message.
        calls: The `docker` commands that were called.
        log: Everything it printed.
    """

    status: str
    code: int
    report: Mapping[str, str]
    calls: tuple[str, ...]
    log: str

    @property
    def message(self) -> str:
        """The report's sentence."""
        return self.report["message"]


def stage_source(folder: Path) -> Path:
    """Make the folder that the build project's source unpacks to, and return it."""
    stage_context(folder / "container")
    shutil.copytree(BUILD, folder / "builds" / BUILD.name)
    return folder


def run_build(
    account: BuildAccount, source: Path, variables: Mapping[str, str], settings: Settings, *, number: int
) -> Outcome:
    """Run the buildspec of a source and return what it came to.

    Args:
        account: Where it runs.
        source: The unpacked source.
        variables: What the build project sets.
        settings: Of `docker`.
        number: The build's; its id is made of it.

    Raises:
        StepFailedError: It left no report, or one that says something else than its status.
    """
    scratch = Path(settings.scratch) / f"build-{number}"
    scratch.mkdir()
    build_id = f"{PROJECT}:{number}"
    lines: list[str] = []
    shell = BuildShell(
        source=source,
        state=scratch,
        environment={**_environment(account, scratch, settings), **variables, "CODEBUILD_BUILD_ID": build_id},
        emit=lines.append,
    )
    record = BuildRecord({"id": build_id, "phases": []}, lines.append)
    status = run_phases(parse((source / "builds" / BUILD.name / "buildspec.yml").read_text("utf-8")), shell, record)
    log = "\n".join(lines)
    said = [context["message"] for phase in record.build["phases"] for context in phase["contexts"]]
    codes = [int(found[1]) for message in said if (found := re.search(r"exit status (\d+)$", message))]
    report = account.stored(f"reports/{PROJECT}/{number}.json")
    if report["status"] != status.lower():
        raise StepFailedError(f"The build {status}, its report says {report['status']}.", log)
    calls = scratch / "calls"
    called = tuple(calls.read_text("utf-8").splitlines()) if calls.exists() else ()
    return Outcome(status, codes[0] if codes else 0, report, called, log)


def _environment(account: BuildAccount, scratch: Path, settings: Settings) -> dict[str, str]:
    """Return what CodeBuild's machine has: a PATH with docker and the AWS command line, and credentials."""
    settings.write(scratch / "docker.json")
    program = scratch / "bin" / "docker"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\necho "$*" >>{scratch}/calls\nPYTHONPATH={ROOT} exec {sys.executable} -m tests.image.docker "$@"\n'
    )
    program.chmod(0o755)
    path = (program.parent, AWS_CLI.parent, Path(sys.base_prefix) / "bin", os.defpath)
    given = account.address.environment()
    return {
        "PATH": os.pathsep.join(map(str, path)),
        "HOME": str(scratch),
        "LANG": "C.UTF-8",
        SETTINGS: str(scratch / "docker.json"),
        **{name: given[name] for name in _AWS_VARIABLES},
    }
