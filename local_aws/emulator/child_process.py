"""Child processes that cannot outlive the emulator."""

import ctypes
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_LIBC: Final = ctypes.CDLL(None, use_errno=True)
# The kernel sends the parent-death signal when the *thread* that forked ends, so one thread that never ends forks all.
_FORKER: Final = ThreadPoolExecutor(max_workers=1, thread_name_prefix="forker")

GRACE_SECONDS: Final = 5.0


def start(
    command: Sequence[str], *, environment: Mapping[str, str], folder: Path, own_group: bool = False
) -> subprocess.Popen[str]:
    """Start a process with exactly the given environment; its output, both streams, comes through `stdout`.

    With `own_group` it leads a process group, so that what it starts can be ended with it.
    """
    return _FORKER.submit(
        subprocess.Popen,
        command,
        env=dict(environment),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        preexec_fn=_die_with_parent,
        process_group=0 if own_group else None,
    ).result()


def stop(process: subprocess.Popen[str], *, group: bool = False, grace_seconds: float = GRACE_SECONDS) -> None:
    """End a process, or the group it leads: SIGTERM, and SIGKILL when it has not ended after the grace time."""
    for sent in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None and not group:
            return
        try:
            os.killpg(process.pid, sent) if group else process.send_signal(sent)
        except ProcessLookupError:
            return
        try:
            process.wait(grace_seconds)
        except subprocess.TimeoutExpired:
            continue


def _die_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
