"""Change one value of an environment's file, and nothing else of it."""

import os
import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit

from config.rules import ConfigurationError
from ops.pins.draft import Draft, read_draft


class UpdateError(ValueError):
    """The pin cannot be changed like this; the file is as it was."""


@dataclass(frozen=True)
class Update:
    """One value of the file, as it is and as it would be."""

    path: tuple[str, ...]
    old: str
    new: str

    @property
    def sentence(self) -> str:
        """Both values, one below the other."""
        return f"{'.'.join(self.path)}\n  old {self.old or 'nothing'}\n  new {self.new}"


def write(path: Path, update: Update) -> Draft:
    """Put the new value in the old one's place; comments, order and everything else stay.

    The file is replaced at once, and only by one that differs in this one value and breaks no rule. Other pins may be
    open, as they were before: one call never changes two.

    Raises:
        UpdateError: The file is not what the update was made from, or would break a rule.
    """
    before = path.read_bytes().decode()
    after = _with_value(before, update)
    changed = sorted(_changed(tomllib.loads(before), tomllib.loads(after)))
    if changed != [".".join(update.path)]:
        raise UpdateError(f"{path}: {', '.join(changed) or 'nothing'} would change, not {'.'.join(update.path)} alone")
    return _replace_checked(path, after.encode(), update)


def _with_value(text: str, update: Update) -> str:
    document = tomlkit.parse(text)
    *folder, key = update.path
    table: Any = document
    for name in folder:
        table = table[name]
    if str(table.get(key, "")) != update.old:
        raise UpdateError(f"{'.'.join(update.path)} is not {update.old or 'open'} any more")
    if key in table:
        table[key] = update.new
        return tomlkit.dumps(document)
    # The library would put a new key behind the comment that stands before the next table.
    head = re.compile(rf"^\[{re.escape('.'.join(folder))}\][ \t]*(?:#[^\n]*?)?(\r?\n)", re.MULTILINE)
    return head.sub(lambda found: f'{found[0]}{key} = "{update.new}"{found[1]}', text, count=1)


def _replace_checked(path: Path, content: bytes, update: Update) -> Draft:
    with tempfile.TemporaryDirectory(prefix=".pin-", dir=path.parent) as folder:
        candidate = Path(folder) / path.name
        candidate.write_bytes(content)
        try:
            draft = read_draft(candidate)
        except ConfigurationError as error:
            raise UpdateError(f"the file would break a rule and stays as it is: {error}") from error
        if rule := draft.open.get(".".join(update.path[:-1])):
            raise UpdateError(f"the file stays as it is: {'.'.join(update.path)}: {rule}")
        candidate.chmod(path.stat().st_mode & 0o777)
        os.replace(candidate, path)  # noqa: PTH105 - the one call that is atomic by contract
    return draft


def _changed(before: Mapping[str, Any], after: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key in before.keys() | after.keys():
        old, new = before.get(key), after.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _changed(old, new, f"{prefix}{key}.")
        elif old != new:
            yield f"{prefix}{key}"
