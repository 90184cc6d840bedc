"""How many threads the container may use: its cgroup's CPU quota, and its affinity mask."""

import math
import os
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


def available_threads(cgroup: Path = _CGROUP, affinity: int | None = None) -> int:
    """The smaller of the CPU quota (rounded down, at least 1) and the CPUs this process may run on.

    Args:
        cgroup: Where the control groups are mounted (version 2, or version 1 with its `cpu` folder).
        affinity: CPUs this process may run on; asked of the kernel when None.
    """
    allowed = len(os.sched_getaffinity(0)) if affinity is None else affinity
    quota = _quota_v2(cgroup) or _quota_v1(cgroup)
    return max(1, min(allowed, math.floor(quota))) if quota else max(1, allowed)


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
