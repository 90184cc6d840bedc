"""The runbook's weekly review: what it says can be told apart, is."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from decision_client.audit.correction import override
from decision_client.audit.tally import Tally
from decision_client.audit.trail_file import TrailFile
from tests.contract.recorded_story import Story, no_credentials, nobody_listens

RUNBOOK: Final = (Path(__file__).resolve().parents[2] / "docs" / "operations.md").read_text("utf-8")
SECTION: Final = RUNBOOK.partition("## The weekly review\n")[2].partition("\n## ")[0]


def _table() -> dict[str, tuple[set[str], set[str]]]:
    rows = SECTION.partition("<!-- review: kinds -->\n")[2].partition("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row[1:-1].split("|")] for row in rows]
    return {happened: (_names(client), _names(container)) for happened, client, container in cells}


def _names(cell: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", cell))


def _acted(folder: Path) -> Story:
    return Story(folder).decide()


def _close(folder: Path) -> Story:
    story = Story(folder)
    story.says(20.0, 19.99)
    return story.decide()


def _unfit(folder: Path) -> Story:
    story = Story(folder)
    story.says(20.0, otherwise=25.0)
    return story.decide()


def _abstained(folder: Path) -> Story:
    story = Story(folder)
    story.says(0.0, 0.0, 20.0)
    return story.decide()


def _uncovered(folder: Path) -> Story:
    story = Story(folder)
    story.policies = []
    return story.decide()


def _overridden(folder: Path) -> Story:
    story = Story(folder).decide()
    override(TrailFile(story.trail), "case-1", "no", "ana")
    return story


def _broken(folder: Path) -> Story:
    story = Story(folder)
    story.served.engine.failure = RuntimeError("a fault")
    return story.decide()


def _away(folder: Path) -> Story:
    story = Story(folder)
    story.way = nobody_listens
    return story.decide()


def _aborted(folder: Path) -> Story:
    story = Story(folder, deadline_seconds=0.05)
    story.served.engine.gate.clear()
    return story.decide()


def _left(folder: Path) -> Story:
    story = Story(folder)
    story.way = story.gives_up
    return story.decide()


def _full(folder: Path) -> Story:
    return Story(folder, places=0).decide()


def _malformed(folder: Path) -> Story:
    return Story(folder).decide("A control token of the model: <think>")


def _unsent(folder: Path) -> Story:
    return Story(folder).decide({"amount": float("nan")})


def _slow(folder: Path) -> Story:
    return Story(folder, seconds_per_token=1.0).decide()


def _stranger(folder: Path) -> Story:
    story = Story(folder)
    story.way = no_credentials
    return story.decide()


STORIES: Final[dict[str, Callable[[Path], Story]]] = {
    "answered and acted upon": _acted,
    "the two best options were close": _close,
    "no option fits: the model would rather have said something else": _unfit,
    'abstention: the definition\'s "none of these" was chosen': _abstained,
    "no policy covers the answer": _uncovered,
    "override: somebody decided otherwise later": _overridden,
    "endpoint error": _broken,
    "the endpoint cannot be reached": _away,
    "timeout: the operation was aborted at the container's deadline": _aborted,
    "timeout: the client gave up first": _left,
    "no capacity, for as long as the client tried": _full,
    "malformed request": _malformed,
    "malformed request that the client did not send": _unsent,
    "the machine could not answer in time, even with nobody ahead": _slow,
    "the caller may not ask": _stranger,
}


@pytest.mark.parametrize("happened", STORIES)
@pytest.mark.rule(
    "Errors, timeouts, malformed requests, missing options, abstentions, close calls and overrides are told apart",
    tool="the client and its records, the container's own log lines",
    emulated="the engine behind it; that CloudWatch makes metrics of the lines",
)
def test_what_happened_is_counted_as_the_runbook_says(happened: str, tmp_path: Path) -> None:
    """By the records of the application and by the metrics of the container, in exactly the kinds of its row."""
    story = STORIES[happened](tmp_path)

    assert (story.recorded(), story.measured()) == _table()[happened]


def test_every_row_has_a_story_and_no_two_are_counted_alike() -> None:
    """Whoever has both counts knows which row it was."""
    table = _table()
    counted = [(frozenset(client), frozenset(container)) for client, container in table.values()]

    assert set(table) == set(STORIES)
    assert len(set(counted)) == len(counted)


def test_review_looks_at_counts_that_there_are() -> None:
    """Each name in the first column of what to go through is one that `ops audit` prints, or a command."""
    rows = SECTION.partition("| look at | if | then |\n")[2].partition("\n\n")[0].splitlines()[1:]
    names = set().union(*(_names(row[1:].partition("|")[0]) for row in rows))

    assert len(names) > 10
    assert names <= set(Tally.model_fields)
