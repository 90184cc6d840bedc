"""An audit trail in a file: lines are added at its end, and nothing in it is ever changed.

A module of its own because `fcntl` is POSIX alone; the rest of the client runs elsewhere too.
"""

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from decision_client.audit.record import AnyRecord
from decision_client.audit.sink import SinkError

_FLAGS: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class OpenTrail:
    """A trail that this process alone writes to while it has it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def text(self) -> str:
        """Return all of it, bytes that are no UTF-8 replaced."""
        with open(os.dup(self._descriptor), "rb") as file:  # noqa: PTH123 - a descriptor has no path
            file.seek(0)
            return file.read().decode("utf-8", errors="replace")

    def append(self, records: Sequence[AnyRecord]) -> None:
        """Write records to the disk, all or none."""
        size = os.fstat(self._descriptor).st_size
        torn = size and os.pread(self._descriptor, 1, size - 1) != b"\n"
        # What a crash left of somebody's line stays a line of its own.
        content = ("\n" * bool(torn) + "".join(f"{record.model_dump_json()}\n" for record in records)).encode()
        try:
            _write(self._descriptor, content)
        except OSError:
            # Nobody else has written since. Where the file may only grow, the rest stays a line of its own.
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, size)
            raise


class TrailFile:
    """A file that several processes of one machine may append to; it is opened anew each time, so it may be rotated."""

    def __init__(self, path: Path, *, mode: int = 0o600) -> None:
        """Name a file.

        Args:
            path: The file; it is made where it is missing.
            mode: Its permissions. A file that is open to others than these is not written to.
        """
        self._path, self._mode = path, mode

    def append(self, records: Sequence[AnyRecord]) -> None:
        """Keep records: they are on the disk when this returns.

        Raises:
            SinkError: The disk is full, the file cannot be opened, or others may open it.
        """
        with self.opened() as trail:
            trail.append(records)

    @property
    def path(self) -> Path:
        """Where it is."""
        return self._path

    @contextlib.contextmanager
    def opened(self) -> Iterator[OpenTrail]:
        """Open the file for this process alone; others wait.

        Raises:
            SinkError: It cannot be opened, others may open it, or what was done with it failed.
        """
        try:
            descriptor = self._open()
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                yield OpenTrail(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise SinkError(f"{self._path}: {error.strerror or type(error).__name__}") from None

    def _open(self) -> int:
        made = not self._path.exists()
        descriptor = os.open(self._path, _FLAGS, self._mode)
        try:
            self._check(os.fstat(descriptor))
            if made:
                _sync_folder(self._path.parent)
        except (OSError, SinkError):
            os.close(descriptor)
            raise
        return descriptor

    def _check(self, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            raise SinkError(f"{self._path}: is no regular file")
        if beyond := stat.S_IMODE(status.st_mode) & ~self._mode:
            raise SinkError(f"{self._path}: may be opened by others: permissions {beyond:o} beyond {self._mode:o}")


def _write(descriptor: int, content: bytes) -> None:
    """Write all of it to the disk at once; a full disk takes a part."""
    if os.write(descriptor, content) != len(content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    """Make a new file's name survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
