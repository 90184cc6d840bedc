"""A matplotlib figure as a part of the page.

Text stays text, colours are the page's, and the same results give the same bytes.
"""

import re
from collections.abc import Callable, Mapping
from io import StringIO
from typing import Any, Final

from markupsafe import Markup
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

WIDTH: Final = 340
"""In CSS pixels on a phone: a drawing that is as wide there has its text in the size of the page's small print."""

_PIXELS_PER_INCH: Final = 72  # what matplotlib writes SVG in

# matplotlib knows no CSS variable. These colours stand in for those of the page, which follow dark mode and paper.
TEXT, QUIET, LINE, MARK, MARK_FAINT = "#000001", "#000002", "#000003", "#000004", "#000005"
_COLOURS: Final = {TEXT: "text", QUIET: "quiet", LINE: "line", MARK: "mark", MARK_FAINT: "mark-faint"}

_COUNTED: Final = re.compile(r' id="[\w.]+_\d{1,4}"')  # the same ids in every drawing, and nothing refers to them
_NO_METADATA: Final = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_STYLE: Final[Mapping[str, Any]] = {
    "axes.axisbelow": True,
    "axes.edgecolor": QUIET,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.labelcolor": TEXT,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "axes.titlesize": "medium",
    "figure.constrained_layout.use": True,
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib; the style sheet has the reader's own font instead
    "font.size": 11.5,
    "grid.color": LINE,
    "legend.borderpad": 0,
    "legend.columnspacing": 1.2,
    "legend.frameon": False,
    "legend.handlelength": 1.4,
    "legend.handletextpad": 0.4,
    "svg.fonttype": "none",
    "text.color": TEXT,
    "xaxis.labellocation": "right",
    "xtick.color": QUIET,
    "xtick.labelcolor": TEXT,
    "ytick.labelcolor": TEXT,
    "ytick.major.size": 0,
}


def drawn(name: str, height: int, draw: Callable[[Axes], None]) -> Markup:
    """Return what stands inside an SVG element of `WIDTH` by `height`.

    Args:
        name: Of the drawing, the only one on the page: the ids inside are made of it.
        height: In the unit of the width.
        draw: Draws on the one pair of axes.
    """
    written = StringIO()
    with style.context({**_STYLE, "svg.hashsalt": name}, after_reset=True):  # whatever the reader's own settings are
        figure = Figure(figsize=(WIDTH / _PIXELS_PER_INCH, height / _PIXELS_PER_INCH), frameon=False)
        axes = figure.add_subplot()
        axes.patch.set_visible(False)
        draw(axes)
        figure.savefig(written, format="svg", metadata=_NO_METADATA)
    return Markup(_inside(written.getvalue()))  # noqa: S704 - matplotlib escapes text, and none is a caller's


def _inside(svg: str) -> str:
    """Return the groups of a drawing, without the prolog and without rules and ids that would be the whole page's."""
    _, _, after = svg.partition("</defs>")
    inside, _, _ = after.rpartition("</svg>")
    inside = _COUNTED.sub("", inside)
    for colour, variable in _COLOURS.items():
        inside = inside.replace(colour, f"var(--{variable})")
    return inside
