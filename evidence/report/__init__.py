"""One self-contained HTML page about one run."""

from evidence.report.rendering import page

__all__ = ["page"]
