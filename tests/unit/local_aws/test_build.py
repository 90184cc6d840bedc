from pathlib import Path
from typing import Any

import pytest

from local_aws.emulator.build import BuildRecord, run_phases
from local_aws.emulator.build_shell import BuildShell
from local_aws.emulator.buildspec import parse


def _run(folder: Path, phases: str) -> tuple[str, dict[str, Any], list[str]]:
    source, state, lines = folder / "source", folder / "state", list[str]()
    source.mkdir()
    state.mkdir()
    record = BuildRecord({"phases": []}, lines.append)
    shell = BuildShell(source=source, state=state, environment={"PATH": "/usr/bin:/bin"}, emit=lines.append)
    status = run_phases(parse(f"version: 0.2\nphases: {phases}"), shell, record)
    return status, record.build, [line for line in lines if not line.startswith("[Container]")]


def test_variables_and_folder_last_from_command_to_command(tmp_path: Path) -> None:
    """An exported variable and a changed folder are there for the next command and the next phase."""
    phases = "{install: {commands: ['export A=b', mkdir x, cd x]}, build: {commands: ['echo $A ${PWD##*/}']}}"

    status, _, lines = _run(tmp_path, phases)

    assert (status, lines) == ("SUCCEEDED", ["b x"])


@pytest.mark.parametrize(
    ("phases", "ran"),
    [
        ("{install: {commands: [false]}, build: {commands: [echo build]}}", []),
        ("{pre_build: {commands: [false], finally: [echo last]}, build: {commands: [echo build]}}", ["last"]),
        ("{build: {commands: [false, echo next]}, post_build: {commands: [echo post]}}", ["post"]),
        ("{build: {commands: [false], on-failure: ABORT}, post_build: {commands: [echo post]}}", []),
        ("{install: {commands: [false], on-failure: CONTINUE}, build: {commands: [echo build]}}", ["build"]),
    ],
)
def test_failed_phase_fails_the_build_and_leads_where_codebuild_says(
    tmp_path: Path, phases: str, ran: list[str]
) -> None:
    """After a failed phase run `finally` and whatever the phase and its `on-failure` let follow; the build failed."""
    status, build, lines = _run(tmp_path, phases.replace("[false", "['false'"))

    failed = next(phase for phase in build["phases"] if phase["phaseStatus"] == "FAILED")
    assert ("FAILED", ran) == (status, lines)
    assert failed["contexts"][0]["message"] == "Error while executing command: false. Reason: exit status 1"


def test_later_phase_sees_that_the_build_has_failed(tmp_path: Path) -> None:
    """CODEBUILD_BUILD_SUCCEEDING is 1 until a phase has failed and 0 from then on."""
    show = "'echo $CODEBUILD_BUILD_SUCCEEDING'"

    _, _, lines = _run(tmp_path, f"{{build: {{commands: [{show}, 'false']}}, post_build: {{commands: [{show}]}}}}")

    assert lines == ["1", "0"]
