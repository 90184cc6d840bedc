"""The processes of a session: whatever a process that leads one has started, directly or not."""

import os
import signal
from pathlib import Path


def members(session: int) -> list[int]:
    """Return the ids of the session's processes, its leader excepted."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The command's name stands in brackets and may hold anything; the numbers follow its last bracket.
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z" and int(stat.parent.name) != session:
            found.append(int(stat.parent.name))
    return found


def end(session: int) -> None:
    """Kill what is left in a session of ours."""
    for member in members(session):
        try:
            os.kill(member, signal.SIGKILL)
        except ProcessLookupError:
            continue
