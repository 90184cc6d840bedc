"""A run as one HTML page that needs nothing but itself: no network, no script."""

from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from evidence.report import plots
from evidence.report.contents import definitions, sections
from evidence.report.text import between, duration, field_name, number, percent, percent_short, plain, words
from evidence.results import Results
from evidence.summary import summarize

_TEMPLATES: Final = Path(__file__).parent / "templates"


def page(results: Results) -> str:
    """Return the page. What callers named (tasks, families, options) is escaped; nothing of a request is there."""
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {
        "across": across,
        "duration": duration,
        "field_name": field_name,
        "number": number,
        "percent": percent,
        "percent_short": percent_short,
        "plain": plain,
        "plots": plots,
        "range": between,
        "words": words,
    }
    made.globals["drawings"] = made.get_template("drawings.html").module
    summary = summarize(results)
    return made.get_template("page.html").render(
        summary=summary, sections=sections(results, summary), definitions=definitions(results)
    )


def across(share: float) -> float:
    """Return where a share stands in a cell's bar, whose 0 to 100 % are 2 to 98 of its width."""
    return round(2 + 96 * share, 1)
