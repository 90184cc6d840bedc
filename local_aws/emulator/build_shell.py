"""The shell of one build: each command starts where the one before it left variables and working directory."""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from local_aws.emulator import child_process

if TYPE_CHECKING:
    import subprocess

TIMED_OUT: Final = 124
# CodeBuild runs every command in its own shell instance and carries exported variables and the folder to the next;
# what it sets anew for each command is not carried.
_WRAPPER: Final = """
state=$1 folder=$2 command=$3 own="^declare -x CODEBUILD_BUILD_SUCCEEDING="
[[ ! -s $state ]] || source "$state"
[[ ! -s $folder ]] || cd "$(<"$folder")"
trap 'code=$?; declare -px | grep -v -e "^declare -[^ ]*r" -e "$own" >"$state"; pwd >"$folder"; exit "$code"' EXIT
eval "$command"
"""


class BuildShell:
    """Runs commands in bash; `emit` gets every line they print."""

    def __init__(
        self, *, source: Path, state: Path, environment: Mapping[str, str], emit: Callable[[str], None]
    ) -> None:
        self._source, self._environment, self._emit = source, dict(environment), emit
        self._variables, self._folder = state / "variables.sh", state / "folder"
        self._running: subprocess.Popen[str] | None = None
        self._stopped = threading.Event()

    @property
    def stopped(self) -> bool:
        """Whether the build was ended from outside."""
        return self._stopped.is_set()

    def run(self, command: str, *, succeeding: bool) -> int:
        """Run one command and return its exit status; `succeeding` is what CODEBUILD_BUILD_SUCCEEDING says to it."""
        if self.stopped:
            return TIMED_OUT
        self._emit(f"[Container] Running command {command.strip()}")
        self._environment["CODEBUILD_BUILD_SUCCEEDING"] = str(int(succeeding))
        arguments = ("bash", "-c", _WRAPPER, "build", str(self._variables), str(self._folder), command)
        process = child_process.start(arguments, environment=self._environment, folder=self._source, own_group=True)
        self._running = process
        assert process.stdout
        with process.stdout:
            for line in process.stdout:
                self._emit(line.rstrip("\n"))
        code = process.wait()
        self._running = None
        return code

    def stop(self) -> None:
        """End the running command and let no other start."""
        self._stopped.set()
        if process := self._running:
            child_process.stop(process, group=True)
