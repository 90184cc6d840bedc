import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from local_aws.checkout import ROOT
from local_aws.emulator import child_process

PARENT = """
import threading, time
from pathlib import Path
from local_aws.emulator import child_process
# Started from a thread that ends at once: the child must outlive the thread and not the process.
def start():
    child = child_process.start(["sleep", "60"], environment={"PATH": "/usr/bin:/bin"}, folder=Path("/"))
    print(child.pid, flush=True)
thread = threading.Thread(target=start)
thread.start()
thread.join()
time.sleep(60)
"""


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_child_ends_with_its_parent_and_not_with_the_thread_that_asked_for_it() -> None:
    """A killed parent takes its children with it; the end of the asking thread does not."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        time.sleep(0.2)
        assert _runs(child)

        parent.kill()
        parent.wait()

        deadline = time.monotonic() + 5
        while _runs(child) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not _runs(child)


def test_child_gets_exactly_the_given_environment(tmp_path: Path) -> None:
    """Nothing of the parent's environment reaches a child."""
    child = child_process.start(["/usr/bin/env"], environment={"ONLY": "this"}, folder=tmp_path)

    output, _ = child.communicate()

    assert output == "ONLY=this\n"


def test_child_that_ignores_the_first_signal_is_killed(tmp_path: Path) -> None:
    """A process that does not end on SIGTERM gets SIGKILL after the grace time, with its whole group."""
    command = ["bash", "-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done"]
    child = child_process.start(command, environment={"PATH": "/usr/bin:/bin"}, folder=tmp_path, own_group=True)
    with child:
        assert child.stdout
        child.stdout.readline()

        child_process.stop(child, group=True, grace_seconds=0.2)

        assert child.returncode == -signal.SIGKILL
