"""Fetch a file of known size and digest over a connection that may break, within a total time."""

import hashlib
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from http.client import HTTPException
from typing import BinaryIO, Protocol

from botocore.exceptions import BotoCoreError

from model_pin import PackagingError, PinnedFile

CHUNK_BYTES = 1 << 20
MAGIC = b"GGUF"


class InterruptedDownloadError(Exception):
    """The source may answer better later."""


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, amt: int, /) -> bytes:
        """Return up to `amt` bytes, and nothing at the end."""


@dataclass(frozen=True)
class Opened:
    """A source that began to send.

    Attributes:
        stream: What it sends.
        offset: Where in the file the stream begins: where it was asked to, or 0 when the source cannot resume.
        total: Bytes of the whole file, None when the source does not say.
    """

    stream: Readable
    offset: int
    total: int | None


class Source(Protocol):
    """Where the file comes from; str() of it is its address."""

    def open(self, offset: int) -> AbstractContextManager[Opened]:
        """Begin to read at an offset.

        Raises:
            InterruptedDownloadError: It is worth another attempt.
            PackagingError: It is not.
        """


@dataclass(frozen=True)
class Patience:
    """How long to go on.

    Attributes:
        attempts: How many may end in a row without new bytes.
        seconds: For all downloads; well below the project's own timeout, which would end them without a sentence.
    """

    attempts: int = 5
    seconds: float = 1800
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


class _Progress:
    """Bytes on disk and their running digest."""

    def __init__(self, target: BinaryIO) -> None:
        self.target = target
        self.restart()

    def restart(self) -> None:
        self.target.seek(0)
        self.target.truncate()
        self.digest, self.size, self.head = hashlib.sha256(), 0, b""

    def add(self, chunk: bytes) -> None:
        self.target.write(chunk)
        self.digest.update(chunk)
        self.size += len(chunk)
        self.head = (self.head + chunk[:4])[:4]


def download(source: Source, target: BinaryIO, pin: PinnedFile, patience: Patience, deadline: float) -> None:
    """Write the pinned file to `target`, until the patience's clock shows the deadline.

    Raises:
        PackagingError: Its size, first bytes or digest are not the pinned ones, or time or attempts ran out.
    """
    progress = _Progress(target)
    furthest, fruitless = 0, 0
    while progress.size < pin.size:
        trouble = _attempt(source, progress, pin, lambda: _check_time(source, pin, progress.size, deadline, patience))
        fruitless = fruitless + 1 if progress.size <= furthest else 0
        furthest = max(furthest, progress.size)
        if progress.size < pin.size:
            if fruitless >= patience.attempts:
                raise PackagingError(f"{source} ended after {progress.size} of {pin.size} bytes ({trouble}).")
            patience.sleep(2**fruitless)
    if progress.digest.hexdigest() != pin.sha256:
        raise PackagingError(
            f"{source} has sha256 {progress.digest.hexdigest()}, pinned is sha256 {pin.sha256}; "
            f"the {pin.size} bytes agree."
        )


def _attempt(source: Source, progress: _Progress, pin: PinnedFile, check_time: Callable[[], None]) -> str:
    """Read as far as the connection goes and return why it ended."""
    try:
        with source.open(progress.size) as opened:
            if opened.total not in (None, pin.size):
                raise PackagingError(f"{source} has {opened.total} bytes, pinned are {pin.size}.")
            if opened.offset != progress.size:
                progress.restart()
            while chunk := _read(opened.stream):
                check_time()
                progress.add(chunk)
                if not MAGIC.startswith(progress.head):
                    raise PackagingError(f"{source} is no GGUF: it begins with {progress.head!r}.")
                if progress.size > pin.size:
                    raise PackagingError(f"{source} has more than the pinned {pin.size} bytes.")
    except InterruptedDownloadError as error:
        return str(error)
    return "the connection was closed"


def _read(stream: Readable) -> bytes:
    # Only what the network does is worth another attempt; a full disk, also an OSError, is not.
    try:
        return stream.read(CHUNK_BYTES)
    except (OSError, HTTPException, BotoCoreError) as error:
        raise InterruptedDownloadError(f"{type(error).__name__}: {error}") from error


def _check_time(source: Source, pin: PinnedFile, size: int, deadline: float, patience: Patience) -> None:
    if patience.clock() > deadline:
        raise PackagingError(f"{source} sent {size} of {pin.size} bytes within {patience.seconds:.0f} seconds.")
