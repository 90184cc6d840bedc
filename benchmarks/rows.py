"""Pure: one row per piece of work, as a line of the table and an entry of build/bench.json."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.interval import Interval

Figures = Mapping[str, float]  # medians by measure: "CPU s", "wall s", "ms", "s", "MB"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Ours against something, in one measure: a ratio, or ours alone where `against` is "nothing"."""

    against: str
    measure: str
    interval: Interval
    at_most: float

    @property
    def met(self) -> bool:
        """Whether the interval's lower end is within the goal."""
        return self.interval.low <= self.at_most


@dataclass(frozen=True, slots=True)
class Row:
    """What was done, what it took, and whether each of its goals was met."""

    model: str
    work: str
    ours: Figures
    reference: Figures | None
    floor: Figures | None
    comparisons: tuple[Comparison, ...]
    note: str = ""

    @property
    def met(self) -> bool:
        """Whether every comparison was met."""
        return all(comparison.met for comparison in self.comparisons)

    def as_json(self) -> dict[str, Any]:
        """The entry of build/bench.json."""
        return {
            "work": self.work,
            "model": self.model,
            "ours": self.ours,
            "reference": self.reference,
            "floor": self.floor,
            "ratio": [
                {"against": each.against, "measure": each.measure, **asdict(each.interval)} for each in self.comparisons
            ],
            "goal": [
                {"against": each.against, "measure": each.measure, "at_most": each.at_most, "met": each.met}
                for each in self.comparisons
            ],
            "met": self.met,
            "note": self.note,
        }


_HEAD = ("model", "work", "measure", "ours", "reference", "floor", "ratio or figure [90 %]", "n", "goal", "met")


def table(rows: Sequence[Row]) -> str:
    """All rows, one line per comparison, and below them what has to be known about a row."""
    lines: list[Sequence[str]] = [_HEAD]
    for row in rows:
        names = [row.model, row.work]
        for each in row.comparisons:
            figures = [_figure(source, each.measure) for source in (row.ours, row.reference, row.floor)]
            lines.append((*names, each.measure, *figures, *_outcome(each)))
            names = ["", ""]
    notes = dict.fromkeys(f"{row.work}: {row.note}" for row in rows if row.note)
    return "\n".join((*aligned(lines), *notes))


def aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)
    return list(padded)


def _figure(figures: Figures | None, measure: str) -> str:
    return f"{figures[measure]:.4g}" if figures and measure in figures else "-"


def _outcome(comparison: Comparison) -> tuple[str, str, str, str]:
    interval = comparison.interval
    shown = f"{interval.median:.3g} [{interval.low:.3g}, {interval.high:.3g}]"
    goal = f"<= {comparison.at_most:.4g}"
    if comparison.against != "nothing":
        goal = f"{goal} x {comparison.against}"
    return shown, str(interval.samples), goal, "yes" if comparison.met else "NO"
