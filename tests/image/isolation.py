"""The private namespaces the whole test runs in: nothing it mounts or starts outlives it, however it ends."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from local_aws.checkout import CACHE

# Set in the inner process; its first process is then number 1 and the kernel ends the others with it.
INNER = "SEMIF_IMAGE_TEST_INNER"
_TOOLS = ("buildah", "debootstrap", "unshare", "setpriv", "mount", "chroot")
AWS_CLI = CACHE / "aws-cli" / "bin" / "aws"
_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def missing_prerequisite() -> str | None:
    """Return one sentence about what this machine lacks for the test, or None."""
    if os.geteuid() != 0:
        return "The image test needs root: it makes a root file system and enters it."
    if absent := [tool for tool in _TOOLS if shutil.which(tool) is None]:
        return f"The image test needs {', '.join(absent)}: on Debian and Ubuntu, apt-get install buildah debootstrap."
    if not _runs(AWS_CLI, "--version"):
        return "The image test needs the AWS command line in .cache/aws-cli: `make test-image` installs it."
    if not _KEYRING.exists():
        return f"The image test needs {_KEYRING}: on Ubuntu, apt-get install debian-archive-keyring."
    return None


def _runs(program: Path, argument: str) -> bool:
    """Tell whether a program is there and works: a virtual environment that was moved is there and does not."""
    try:
        return subprocess.run((program, argument), capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def run_in_namespaces(module: str) -> int:
    """Run a module in mount and process namespaces of its own and return its status.

    SIGTERM is passed on, so that the module can clean up; without this process it ends at once.
    """
    options = ("--mount", "--propagation=private", "--pid", "--fork", "--kill-child", "--mount-proc")
    command = ("setpriv", "--pdeathsig=KILL", "unshare", *options, sys.executable, "-m", module)
    outer = subprocess.Popen(command, env={**os.environ, INNER: "1"})
    # unshare itself holds back both signals while its child runs; a terminal sends SIGINT to the child as well.
    signal.signal(signal.SIGTERM, lambda *_: os.kill(first_child(outer.pid), signal.SIGTERM))
    signal.signal(signal.SIGINT, lambda *_: None)
    return outer.wait()


def first_child(process: int) -> int:
    """Return the number of the process that a running `unshare --fork` became the parent of."""
    return int(Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()[0])


def is_inside() -> bool:
    """Tell whether this process is the inner one."""
    return os.environ.get(INNER) == "1" and os.getpid() == 1
