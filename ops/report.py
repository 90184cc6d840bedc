"""What a command found: a line for each thing it looked at, a state for each line, one exit code for all."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Final

from rich.console import Console
from rich.text import Text


class State(StrEnum):
    """How a thing is."""

    OK = "ok"
    WARNING = "warning"
    WRONG = "wrong"


EXIT_CODES: Final = {State.OK: 0, State.WARNING: 1, State.WRONG: 2}
_STYLES: Final = {State.OK: "green", State.WARNING: "yellow", State.WRONG: "bold red"}


@dataclass(frozen=True)
class Line:
    """One thing that was looked at, in one sentence.

    Attributes:
        subject: What was looked at.
        state: How it is.
        says: What was found.
        action: What to do next; empty where nothing is to be done.
    """

    subject: str
    state: State
    says: str
    action: str = ""


def ok(subject: str, says: str) -> Line:
    """Return a line about what is as it should be."""
    return Line(subject, State.OK, says)


def warning(subject: str, says: str, action: str) -> Line:
    """Return a line about what works, and may not be as somebody wants it."""
    return Line(subject, State.WARNING, says, action)


def wrong(subject: str, says: str, action: str) -> Line:
    """Return a line about what has to be mended."""
    return Line(subject, State.WRONG, says, action)


def exit_code(lines: Iterable[Line]) -> int:
    """Return 0 if every line is ok, 1 if there are warnings, 2 if something is wrong."""
    return max((EXIT_CODES[line.state] for line in lines), default=0)


def show(console: Console, lines: Sequence[Line], *, as_json: bool) -> None:
    """Print the lines, each action below its line, or all of them as one JSON array."""
    if as_json:
        print_json(console, [asdict(line) for line in lines])
        return
    width = max((len(line.subject) for line in lines), default=0)
    for line in lines:
        text = Text(f"{line.state:<8}", style=_STYLES[line.state])
        text.append(f" {line.subject:<{width}}  {line.says}", style="default")
        say(console, text)
        if line.action:
            say(console, Text(f"{'':<8} {'':<{width}}  → {line.action}"))


def say(console: Console, text: Text | str) -> None:
    """Print one line as it is: not folded, no part of it taken for markup or for the name of a picture."""
    console.print(text, soft_wrap=True, markup=False, highlight=False, emoji=False)


def printable(text: str) -> str:
    """Return a text that somebody else wrote as it is, or quoted if a terminal would obey it."""
    return text if text.isprintable() else repr(text)


def print_json(console: Console, document: object) -> None:
    """Print a document as JSON, without colours: it is read by programs."""
    say(console, json.dumps(document, indent=2, ensure_ascii=False, default=str))
