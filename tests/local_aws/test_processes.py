"""Whatever ends a run, nothing of it stays: no process and no temporary folder."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from local_aws import process_session
from local_aws.checkout import ROOT
from local_aws.emulator_process import LocalAwsError
from local_aws.session import LocalAws
from local_aws.sockets import listening_socket

pytestmark = pytest.mark.local_aws
HOLDER = """
from local_aws.session import LocalAws
with LocalAws(name="held") as aws:
    print(aws.address.emulator.pid, aws.address.emulator.folder, flush=True)
    input()
"""


def _in_time(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()


def left_in(temporary: Path) -> list[str]:
    """Return what stayed: folders, and processes that have the folder in their environment or command."""
    here, left = str(temporary).encode(), [str(path) for path in temporary.iterdir()]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            told = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
        except OSError:
            continue
        if here in told and int(process.name) != os.getpid():
            left.append(told.decode(errors="replace"))
    return left


def demo_in(temporary: Path, *arguments: str) -> "subprocess.Popen[str]":
    """Start a demo whose temporary folders lie in the given one."""
    return subprocess.Popen(
        [sys.executable, "-m", "local_aws", "demo", *arguments],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.rule(
    "an interrupted demo says one sentence and leaves no process and no temporary folder",
    tool="the operating system's own list of processes",
    emulated="",
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_demo_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C or SIGTERM while the command line runs ends it, the emulator and all folders, with one sentence."""
    with demo_in(tmp_path) as demo:
        assert demo.stdout
        assert any(line.startswith("  $ cdk synth") for line in demo.stdout)
        assert left_in(tmp_path)

        demo.send_signal(number)
        _, said = demo.communicate(timeout=60)

    assert (demo.returncode, said.strip()) == (
        130,
        "Interrupted: every process it started is ended, every temporary folder removed.",
    )
    assert left_in(tmp_path) == []


def test_taken_port_is_said_in_one_sentence(tmp_path: Path) -> None:
    """A demo whose port is taken says so in one sentence and leaves nothing."""
    with listening_socket(0) as taken, demo_in(tmp_path, "--port", str(taken.getsockname()[1])) as demo:
        shown, said = demo.communicate(timeout=60)

    assert (demo.returncode, shown) == (1, "")
    assert said == f"The embedded AWS did not start: port {taken_port(said)} on 127.0.0.1 is taken.\n"
    assert left_in(tmp_path) == []


def taken_port(sentence: str) -> int:
    """Return the port that the sentence names."""
    return int(sentence.split("port ")[1].split(maxsplit=1)[0])


def test_emulator_ends_when_what_started_it_is_killed(tmp_path: Path) -> None:
    """A killed owner takes the emulator, its children and its folder with it."""
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout
        pid, folder = owner.stdout.readline().split()
        owner.kill()

    assert _in_time(lambda: not Path(folder).exists())
    assert _in_time(lambda: left_in(tmp_path) == [])
    assert process_session.members(int(pid)) == []


def test_killed_emulator_leaves_nothing_when_its_owner_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an emulator was killed, leaving the session still ends its children and removes its folder."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with LocalAws(name="killed") as aws:
        emulator = aws.address.emulator
        os.kill(emulator.pid, signal.SIGKILL)

    assert _in_time(lambda: left_in(tmp_path) == [])


def test_emulator_that_cannot_start_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An emulator that ends before it is ready gives one sentence that says where to read more."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("local_aws.emulator_process.EMULATOR_PYTHON", Path("/bin/false"))

    with pytest.raises(LocalAwsError, match=r"it ended before it was ready; .*broken/emulator\.log says more"):
        LocalAws(name="broken").__enter__()

    assert list(tmp_path.iterdir()) == []
