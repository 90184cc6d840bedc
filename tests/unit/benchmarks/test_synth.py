"""The table of synthesis times."""

from benchmarks.synth import EMPTY, GOAL_SECONDS, table


def _lines(*seconds: float) -> list[list[str]]:
    results = {EMPTY: ([0.5, 0.5], [1.0, 1.0])}
    results |= {f"env{number}": ([each, each], [each + 1, each + 1]) for number, each in enumerate(seconds)}
    return [line.split() for line in table(results).splitlines()]


def test_ratio_is_to_the_empty_app_of_the_same_round() -> None:
    """Two seconds beside half a second are four times as long; the command's ratio is its own."""
    _, empty, one = _lines(2.0)

    assert empty[empty.index("-") + 2] == "1"
    assert one[one.index("yes") + 1] == "4"
    assert one[-3:] == ["3", "[3,", "3]"]


def test_goal_is_met_where_the_interval_reaches_it() -> None:
    """More than the goal at both ends is a NO."""
    _, _, below, above = _lines(GOAL_SECONDS, GOAL_SECONDS + 0.1)

    assert "yes" in below
    assert "NO" in above
