"""One build: its phases, their outcome, and the record that BatchGetBuilds shows."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from local_aws.emulator.build_shell import BuildShell
from local_aws.emulator.buildspec import Buildspec, Phase

_ENDS_THE_BUILD: Final = frozenset({"install", "pre_build"})


@dataclass
class BuildRecord:
    """What CodeBuild's API says about a build; `build` is ministack's own record of it, which this one fills."""

    build: dict[str, Any]
    emit: Callable[[str], None]
    started: float = field(default_factory=time.time)

    def phase(self, kind: str, status: str, since: float, reason: str = "") -> None:
        """Enter a finished phase; a reason becomes its context, as CodeBuild reports a failed command."""
        code = "COMMAND_EXECUTION_ERROR" if reason else ""
        now = time.time()
        self.build["phases"].append(
            {
                "phaseType": kind,
                "phaseStatus": status,
                "startTime": since,
                "endTime": now,
                "durationInSeconds": round(now - since),
                "contexts": [{"statusCode": code, "message": reason}],
            }
        )
        self.build["currentPhase"] = kind
        self.emit(f"[Container] Phase complete: {kind} State: {status}")
        if reason:
            self.emit(f"[Container] Phase context status code: {code} Message: {reason}")

    def finish(self, status: str) -> None:
        """Enter the build's outcome; from now on it is complete."""
        now = time.time()
        self.build["phases"].append({"phaseType": "COMPLETED", "startTime": now})
        self.build.update(currentPhase="COMPLETED", endTime=now, buildStatus=status, buildComplete=True)


def run_phases(spec: Buildspec, shell: BuildShell, record: BuildRecord) -> str:
    """Run a specification's phases and return the build's status.

    A failed install or pre_build ends the build; after a failed build, post_build still runs. `on-failure: ABORT` ends
    it anywhere, `CONTINUE` goes on. A build with a failed phase has failed in each of these cases.
    """
    succeeded = True
    for phase in spec.phases:
        since = time.time()
        reason = _run_phase(phase, shell, succeeding=succeeded)
        record.phase(phase.name.upper(), "FAILED" if reason else "SUCCEEDED", since, reason)
        if reason:
            succeeded = False
            ends = phase.on_failure == "ABORT" or (phase.on_failure is None and phase.name in _ENDS_THE_BUILD)
            if ends or shell.stopped:
                break
    return "SUCCEEDED" if succeeded else "FAILED"


def _run_phase(phase: Phase, shell: BuildShell, *, succeeding: bool) -> str:
    """Return why the phase failed, or nothing."""
    reason = ""
    for command in phase.commands:
        if code := shell.run(command, succeeding=succeeding):
            reason = f"Error while executing command: {command.strip()}. Reason: exit status {code}"
            break
    for command in phase.finally_commands:
        code = shell.run(command, succeeding=succeeding and not reason)
        if code and not reason:
            reason = f"Error while executing command: {command.strip()}. Reason: exit status {code}"
    return reason
