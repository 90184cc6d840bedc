"""The emulator seen from outside: how it is started, what it said when it was ready, and how it is ended."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Self

from local_aws import process_session
from local_aws.checkout import EMULATOR_PYTHON, ROOT, STATE

STOP_SECONDS: Final = 20.0


class LocalAwsError(RuntimeError):
    """The embedded AWS cannot do what was asked; one sentence says why."""


@dataclass(frozen=True, kw_only=True)
class EmulatorProcess:
    """A running emulator: its name, its process, its folder, its addresses, and the operator's access key."""

    name: str
    pid: int
    folder: str
    url: str
    sagemaker_url: str
    runtime_url: str
    certificate: str
    access_key_id: str
    secret_access_key: str

    @classmethod
    def start(cls, *, name: str, port: int, detached: bool) -> tuple[Self, "subprocess.Popen[str]"]:
        """Start an emulator and return when it is ready; unless detached it ends when this process does.

        Its log is `build/local-aws/<name>/emulator.log`.

        Raises:
            LocalAwsError: the port is taken, or the emulator ended before it was ready.
        """
        state = STATE / name
        state.mkdir(parents=True, exist_ok=True)
        folder = tempfile.mkdtemp(prefix="semif-local-aws-")
        command = [str(EMULATOR_PYTHON), "-m", "local_aws.emulator", "--folder", folder, "--port", str(port)]
        with (state / "emulator.log").open("w") as log:
            process = subprocess.Popen(
                command if detached else [*command, "--until-closed"],
                cwd=ROOT,
                env={name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
                | {"PYTHONPATH": str(ROOT)},
                stdin=subprocess.DEVNULL if detached else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        assert process.stdout
        try:
            line = process.stdout.readline()
            early = {"error": f"it ended before it was ready; {state}/emulator.log says more"}
            ready = json.loads(line) if line else early
            if "error" in ready:
                raise LocalAwsError(f"The embedded AWS did not start: {ready['error']}.")  # noqa: TRY301 -- ends it below
        except BaseException:
            _end(process.pid, Path(folder))
            close(process)
            raise
        return cls(name=name, folder=folder, **ready), process

    def end(self) -> None:
        """End the emulator, everything it started, and its folder."""
        _end(self.pid, Path(self.folder))

    def is_alive(self) -> bool:
        """Whether the process is there and is an emulator."""
        with contextlib.suppress(OSError):
            return b"local_aws.emulator" in Path(f"/proc/{self.pid}/cmdline").read_bytes()
        return False

    def to_json(self) -> str:
        """Return what `from_json` takes."""
        return json.dumps(asdict(self), indent=2)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the emulator that an earlier process started."""
        return cls(**json.loads(text))


def close(process: "subprocess.Popen[str]") -> None:
    """Take note of a process's end and close its streams."""
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream:
            stream.close()


def _end(pid: int, folder: Path) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while _runs(pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        os.kill(pid, signal.SIGKILL)
    process_session.end(pid)
    shutil.rmtree(folder, ignore_errors=True)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
