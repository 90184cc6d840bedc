"""The table of the benchmark and its entries."""

import json

from benchmarks.interval import Interval
from benchmarks.rows import Comparison, Row, table

WITHIN = Comparison("floor", "CPU s", Interval(1.06, 1.04, 1.08, 5), 1.05)
ABOVE = Comparison("floor", "wall s", Interval(1.20, 1.10, 1.30, 5), 1.05)
FIGURES = {"CPU s": 1.5, "wall s": 1.75}


def row(*comparisons: Comparison, note: str = "") -> Row:
    """A row of one model."""
    return Row("tiny", "a decision", FIGURES, None, {"CPU s": 1.25}, comparisons, note)


def test_goal_is_met_when_the_lower_end_of_the_interval_is_within_it() -> None:
    """1.04 to 1.08 may be 1.05; 1.10 to 1.30 is not."""
    assert WITHIN.met
    assert not ABOVE.met


def test_row_is_met_only_when_every_comparison_is() -> None:
    """Less CPU does not make up for more waiting."""
    assert row(WITHIN).met
    assert not row(WITHIN, ABOVE).met


def test_entry_says_what_was_compared_and_outlives_json() -> None:
    """An entry has the work, the three figures, the ratio, its goal and whether it was met."""
    entry = json.loads(json.dumps(row(WITHIN, ABOVE).as_json()))

    assert entry.keys() == {"work", "model", "ours", "reference", "floor", "ratio", "goal", "met", "note"}
    assert entry["ratio"][0] == {
        "against": "floor",
        "measure": "CPU s",
        "median": 1.06,
        "low": 1.04,
        "high": 1.08,
        "samples": 5,
    }
    assert [goal["met"] for goal in entry["goal"]] == [True, False]
    assert entry["met"] is False


def test_table_has_one_aligned_line_per_comparison_and_names_a_row_once() -> None:
    """The second comparison of a row stands under the first, in the same columns."""
    head, first, second, note = table([row(WITHIN, ABOVE, note="as told")]).splitlines()

    assert first.startswith("tiny   a decision  CPU s")
    assert second.lstrip().startswith("wall s")
    assert head.index("goal") == first.index("<= 1.05 x floor") == second.index("<= 1.05 x floor")
    assert first.endswith("yes")
    assert second.endswith("NO")
    assert note == "a decision: as told"


def test_table_shows_a_dash_where_nothing_was_measured() -> None:
    """A missing figure is not a zero."""
    line = table([row(ABOVE)]).splitlines()[1]

    assert line.split()[5:8] == ["1.75", "-", "-"]
