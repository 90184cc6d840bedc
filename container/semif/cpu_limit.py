"""How many threads the container may use: CPU quota, affinity mask, and physical cores where they are known."""

import math
import os
from collections.abc import Collection
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")
_TOPOLOGY = Path("/sys/devices/system/cpu")
GGML_MAX_N_THREADS = 512  # the library's own limit, of ggml.h


def most_threads(cgroup: Path = _CGROUP, affinity: Collection[int] | None = None) -> int:
    """The CPU quota (rounded down), the CPUs this process may run on or the library's limit: the least, at least 1.

    More threads than this wait for each other at every step of a decode: no setting may ask for them.

    Args:
        cgroup: Where the control groups are mounted (version 2, or version 1 with its `cpu` folder).
        affinity: Numbers of the CPUs this process may run on; asked of the kernel when None.
    """
    allowed = min(len(os.sched_getaffinity(0) if affinity is None else affinity), GGML_MAX_N_THREADS)
    quota = _quota_v2(cgroup) or _quota_v1(cgroup)
    return max(1, min(allowed, math.floor(quota)) if quota else allowed)


def default_threads(cgroup: Path = _CGROUP, affinity: Collection[int] | None = None, topology: Path = _TOPOLOGY) -> int:
    """`most_threads`, but not more than the physical cores behind those CPUs: two threads of one core share its units.

    Args:
        cgroup: As for `most_threads`.
        affinity: As for `most_threads`.
        topology: The kernel's folder of CPUs; where it does not tell, every CPU counts as a core.
    """
    cpus = os.sched_getaffinity(0) if affinity is None else affinity
    cores = {_siblings(topology, cpu) for cpu in cpus}
    return max(1, min(most_threads(cgroup, cpus), len(cores)))


def _siblings(topology: Path, cpu: int) -> str:
    try:
        return (topology / f"cpu{cpu}" / "topology" / "thread_siblings_list").read_text().strip() or str(cpu)
    except OSError:
        return f"unknown {cpu}"


def _quota_v2(cgroup: Path) -> float | None:
    try:
        quota, period = (cgroup / "cpu.max").read_text().split()
        return None if quota == "max" else int(quota) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return None  # no limit is stated in this form


def _quota_v1(cgroup: Path) -> float | None:
    try:
        quota = int((cgroup / "cpu" / "cpu.cfs_quota_us").read_text())
        period = int((cgroup / "cpu" / "cpu.cfs_period_us").read_text())
        return quota / period if quota > 0 else None
    except (OSError, ValueError, ZeroDivisionError):
        return None  # no limit is stated in this form
