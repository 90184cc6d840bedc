"""The private namespaces the whole test runs in: nothing it mounts or starts outlives it, however it ends."""

import os
import shutil
import sys
from pathlib import Path

# Set in the inner process; its first process is then number 1 and the kernel ends the others with it.
INNER = "SEMIF_IMAGE_TEST_INNER"
_TOOLS = ("buildah", "debootstrap", "unshare", "mount", "chroot")
_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
# buildah's library remembers blobs here, whatever storage it is told to use.
_BUILDAH_CACHE = Path("/var/lib/containers")


def missing_prerequisite() -> str | None:
    """Return one sentence about what this machine lacks for the test, or None."""
    if os.geteuid() != 0:
        return "The image test needs root: it makes a root file system and enters it."
    if absent := [tool for tool in _TOOLS if shutil.which(tool) is None]:
        return f"The image test needs {', '.join(absent)}: on Debian and Ubuntu, apt-get install buildah debootstrap."
    if not _KEYRING.exists():
        return f"The image test needs {_KEYRING}: on Ubuntu, apt-get install debian-archive-keyring."
    return None


def enter_namespaces(module: str) -> None:
    """Replace this process by one in mount and process namespaces of its own that runs the same module."""
    options = ("--mount", "--propagation=private", "--pid", "--fork", "--kill-child", "--mount-proc")
    command = ("unshare", *options, sys.executable, "-m", module)
    os.execvpe("unshare", command, {**os.environ, INNER: "1"})  # noqa: S606 -- replaces this process on purpose


def is_inside() -> bool:
    """Tell whether this process is the inner one."""
    return os.environ.get(INNER) == "1" and os.getpid() == 1
