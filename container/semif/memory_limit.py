"""How much memory the container may use: the smallest of its control group's limit and the machine's memory."""

from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")
_MEMINFO = Path("/proc/meminfo")


def memory_limit(cgroup: Path = _CGROUP, meminfo: Path = _MEMINFO) -> int:
    """Bytes.

    Args:
        cgroup: Where the control groups are mounted (version 2, or version 1 with its `memory` folder).
        meminfo: The kernel's account of the machine's memory.
    """
    limits = [_number(cgroup / "memory.max"), _number(cgroup / "memory" / "memory.limit_in_bytes"), _total(meminfo)]
    return min(limit for limit in limits if limit is not None)


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None  # not there, or "max"


def _total(meminfo: Path) -> int:
    for line in meminfo.read_text().splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) * 1024
    raise ValueError(f"{meminfo} does not tell the machine's memory")
