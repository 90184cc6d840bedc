"""An audit trail as it is read: records by id, corrections, and what is no record."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from decision_client.audit.record import RECORD, AnyRecord, DecisionRecord, FailureRecord, OverrideRecord
from decision_client.errors import FileError

Asked = DecisionRecord | FailureRecord
_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)
_LATEST: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(slots=True)
class Trail:
    """What files or streams hold. `broken` names the lines that are no record, such as what a crash left of one."""

    asked: dict[str, Asked] = field(default_factory=dict)
    overrides: dict[str, OverrideRecord] = field(default_factory=dict)
    """By their own ids, in the order read."""
    broken: list[str] = field(default_factory=list)

    def add(self, lines: Iterable[tuple[str, str]]) -> None:
        """Take lines with the place of each; a record that was written twice counts once."""
        for place, line in lines:
            record = parsed(line)
            if record is None:
                self.broken.append(place)
            elif isinstance(record, OverrideRecord):
                self.overrides[record.id] = record
            else:
                self.asked[record.id] = record

    def last_override(self, decision: str) -> OverrideRecord | None:
        """Return the correction of a record that holds: the last one."""
        of_it = [each for each in self.overrides.values() if each.decision == decision]
        return max(of_it, key=lambda override: override.time, default=None)

    def between(self, since: datetime | None, until: datetime | None) -> "Trail":
        """Return the decisions asked from one time on and before another, with their overrides, whenever these came.

        A time without a zone is UTC. Overrides of what is not in the trail at all stay.
        """
        first, end = (_utc(since, _EARLIEST), _utc(until, _LATEST))
        asked = {each.id: each for each in self.asked.values() if first <= each.time < end}
        left_out = self.asked.keys() - asked.keys()
        overrides = {each.id: each for each in self.overrides.values() if each.decision not in left_out}
        return Trail(asked, overrides, list(self.broken))

    def find(self, wanted: str) -> list[Asked]:
        """Return the record with an id, or those with a caller's id."""
        if wanted in self.asked:
            return [self.asked[wanted]]
        return [record for record in self.asked.values() if record.caller_id == wanted]


def _utc(time: datetime | None, default: datetime) -> datetime:
    if time is None:
        return default
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def read_trail(files: Iterable[Path]) -> Trail:
    """Read the files of a trail.

    Raises:
        FileError: One cannot be read.
    """
    trail = Trail()
    for file in files:
        try:
            # Other ends of line than this one can stand in an id.
            text = file.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise FileError(f"{file}: cannot be read: {type(error).__name__}") from None
        trail.add(numbered(str(file), text))
    return trail


def numbered(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a text that are not empty, each with its place."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line:
            yield f"{name}:{number}", line


def parsed(line: str) -> AnyRecord | None:
    """Return a line's record, None if it is none."""
    try:
        return RECORD.validate_json(line)
    except ValidationError:
        return None
