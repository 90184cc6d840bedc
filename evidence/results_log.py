"""The results file of a run that goes on: lines are there as soon as they are known, and a resumed run adds to them."""

import fcntl
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from decision_client.identity import Identity
from evidence.records import Answered, Failed, IdentityLine, Key, Run, ScaleOut
from evidence.results import ResultsError, read_results

_HEADER: Final = b'{"kind":"run"'
_LONGEST_HEADER: Final = 2**20


class ResultsLog:
    """A results file that is written. Nothing is there before the first line; used from several threads."""

    def __init__(self, file: Path, run: Run, *, resume: bool) -> None:
        """Reads what is there, and changes nothing yet.

        Args:
            file: Where the lines go; its folder is made.
            run: The header; a resumed run keeps the one that is there.
            resume: Go on with a file that is there. Without it, such a file is refused.

        Raises:
            ResultsError: The file is there, or is of another run, or is no results file.
        """
        self.file = file
        self.run = run
        self.answered: set[Key] = set()
        self.offset_seconds = 0.0
        self._identities: set[str] = set()
        self._lock = threading.Lock()
        self._descriptor: int | None = None
        there = file.exists() and bool(file.stat().st_size)
        if there and not resume:
            raise ResultsError(f"{file}: is there already; --resume goes on with it, --out names another")
        self._there = there and not _is_half_a_header(file)
        if self._there:
            self._take_up(run)

    def _take_up(self, run: Run) -> None:
        results = read_results(self.file)
        if difference := _difference(results.run, run):
            raise ResultsError(f"{self.file}: is of another run: {difference}")
        self.run = results.run
        self.answered = {line.key for line in results.answers}
        self._identities = set(results.identities)
        lines = [*results.answers, *results.failures]
        self.offset_seconds = max((line.started_seconds + line.client_seconds for line in lines), default=0.0)

    def identity(self, record: Identity) -> str:
        """Return a record's digest, and write the record if the file does not have it.

        Raises:
            ResultsError: Another process writes the file, or it cannot be written.
        """
        digest = record.sha256
        with self._lock:
            if digest not in self._identities:
                self._append([IdentityLine(sha256=digest, record=record)])
                self._identities.add(digest)
        return digest

    def write(self, lines: Sequence[Answered | Failed | ScaleOut]) -> None:
        """Append lines, all at once.

        Raises:
            ResultsError: Another process writes the file, or it cannot be written.
        """
        with self._lock:
            self._append(lines)
            self.answered |= {line.key for line in lines if isinstance(line, Answered)}

    @property
    def begun(self) -> bool:
        """Whether there is a line."""
        return self._there

    def close(self) -> None:
        """Let the file go; others may write it."""
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
            self._descriptor = None

    def _append(self, lines: Sequence[IdentityLine | Answered | Failed | ScaleOut]) -> None:
        if self._descriptor is None:
            self._descriptor = self._open()
        header = [] if self._there else [self.run]
        text = "".join(f"{line.model_dump_json()}\n" for line in [*header, *lines]).encode()
        end = os.fstat(self._descriptor).st_size
        try:
            # One call for each append: a process that is killed leaves whole lines, or one that is cut off.
            while text:
                text = text[os.write(self._descriptor, text) :]
        except OSError as error:  # such as a full disk: others may still write, and not behind half a line
            os.ftruncate(self._descriptor, end)
            raise ResultsError(f"{self.file}: cannot be written: {error.strerror}") from None
        self._there = True

    def _open(self) -> int:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise ResultsError(f"{self.file}: cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise ResultsError(f"{self.file}: another run is writing it") from None
        content = self.file.read_bytes()
        os.ftruncate(descriptor, content.rfind(b"\n") + 1)
        return descriptor


def _is_half_a_header(file: Path) -> bool:
    """Whether a run was killed while it wrote its first line; nothing is in such a file that could be lost."""
    with file.open("rb") as opened:
        begin = opened.read(_LONGEST_HEADER)
    return b"\n" not in begin and len(begin) < _LONGEST_HEADER and begin.startswith(_HEADER[: len(begin)])


def _difference(there: Run, here: Run) -> str:
    if there.target != here.target:
        return "target differs"
    if there.tasks != here.tasks:
        of_either = [[file.model_copy(update={"note": ""}) for file in run.tasks] for run in (there, here)]
        return "notes differ" if of_either[0] == of_either[1] else "tasks differ"
    for name in sorted(there.settings.keys() | here.settings.keys()):
        had, has = there.settings.get(name), here.settings.get(name)
        if had != has:
            return f"{name} was {had} and is {has}"
    return ""
