"""A results file in memory: JSON lines, of which only whole ones count."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from decision_client.identity import Identity
from evidence.records import LINE, Answered, Failed, IdentityLine, Key, Run, ScaleOut


class ResultsError(ValueError):
    """A results file is none, or contradicts itself; the message is one sentence with the line's number."""


@dataclass(slots=True)
class Results:
    """One run: its header, the identity records by digest, and what came of each decision at last, in file order.

    `superseded` counts the lines that a resumed run replaced.
    """

    run: Run
    identities: dict[str, Identity] = field(default_factory=dict)
    answers: list[Answered] = field(default_factory=list)
    failures: list[Failed] = field(default_factory=list)
    scale_outs: list[ScaleOut] = field(default_factory=list)
    superseded: int = 0


def read_results(file: Path) -> Results:
    """Read a results file; a last line that was cut off is left out, since a resumed run answers it again.

    Raises:
        ResultsError: It is no results file, or an answer names an identity that the file does not hold.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{file}: cannot be read: {type(error).__name__}") from None
    whole = text[: text.rfind("\n") + 1]
    return _results(file, enumerate(whole.split("\n")[:-1], start=1))


def _results(file: Path, lines: Iterable[tuple[int, str]]) -> Results:
    results: Results | None = None
    newest: dict[Key, Answered | Failed] = {}
    for number, text in lines:
        where = f"{file}:{number}"
        try:
            line = LINE.validate_json(text)
        except ValidationError as error:
            raise ResultsError(f"{where}: {error.errors()[0]['msg']}") from None
        if isinstance(line, Run) == (results is not None):
            raise ResultsError(f"{where}: a results file has one header, as its first line")
        if results is None:
            assert isinstance(line, Run)
            results = Results(line)
        elif isinstance(line, Answered | Failed):
            if isinstance(line, Answered) and line.identity not in results.identities:
                raise ResultsError(f"{where}: the answer's identity record is not in the file")
            results.superseded += newest.pop(line.key, None) is not None
            newest[line.key] = line
        elif not isinstance(line, Run):
            _note(results, line, where)
    if results is None:
        raise ResultsError(f"{file}: is empty")
    results.answers += [line for line in newest.values() if isinstance(line, Answered)]
    results.failures += [line for line in newest.values() if isinstance(line, Failed)]
    return results


def _note(results: Results, line: IdentityLine | ScaleOut, where: str) -> None:
    if isinstance(line, ScaleOut):
        results.scale_outs.append(line)
    elif line.record.sha256 != line.sha256:
        raise ResultsError(f"{where}: the identity record does not have its digest")
    else:
        results.identities[line.sha256] = line.record
