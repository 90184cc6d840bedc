"""The genuine CDK command line, run against the embedded AWS."""

import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from local_aws import interruption
from local_aws.checkout import ROOT

CDK = ROOT / ".venv" / "bin" / "cdk"
GRACE_SECONDS = 5.0


@dataclass(frozen=True)
class Outcome:
    """What a command ended with and everything it printed."""

    code: int
    output: str


@dataclass(frozen=True)
class CdkCli:
    """Runs `cdk` with an environment; `show` gets each line when it is printed."""

    environment: dict[str, str]
    show: Callable[[str], None] = lambda _: None

    def run(self, *arguments: str) -> Outcome:
        """Run one command to its end; whatever interrupts this process ends the command first."""
        process, lines = None, []
        try:
            with interruption.held():
                process = self._start(arguments)
            assert process.stdout
            with process.stdout:
                for line in process.stdout:
                    lines.append(line)
                    self.show(line.rstrip())
            return Outcome(process.wait(), "".join(lines))
        except BaseException:
            if process:
                _end_group(process)
            raise

    def _start(self, arguments: Sequence[str]) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [str(CDK), *arguments, "--no-notices", "--no-color"],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # A group of its own: Ctrl-C reaches this process only, which then ends the command with all it started.
            process_group=0,
        )


def _end_group(process: "subprocess.Popen[str]") -> None:
    for sent in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sent)
            process.wait(GRACE_SECONDS)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            continue
    process.wait()
