"""Figures and callers' words as a page shows them."""

from typing import Final

from markupsafe import Markup, escape

_NOTHING: Final = "\N{EN DASH}"
_MILLISECOND: Final = 0.001
_ALL: Final = 1.0
_ONE_SECOND: Final = 0.9995  # from here on three digits round up to it
_MINUTES: Final = 100


def percent(share: float | None) -> str:
    """Return a share in per cent with one decimal: `83.3 %`; a share that is not quite all never reads 100."""
    if share is None:
        return _NOTHING
    if share < _ALL and round(share, 3) >= _ALL:
        return ">\N{NO-BREAK SPACE}99.9\N{NO-BREAK SPACE}%"
    return f"{share:.1%}".replace("%", "\N{NO-BREAK SPACE}%")


def percent_short(share: float) -> str:
    """Return a share in whole per cent: `83 %`."""
    return f"{share:.0%}".replace("%", "\N{NO-BREAK SPACE}%")


def between(low: float, high: float) -> str:
    """Return an interval of shares in whole per cent: `46 - 69 %`, with a dash for a range."""
    return f"{low * 100:.0f}\N{EN DASH}{percent_short(high)}"


def duration(seconds: float | None) -> str:
    """Return seconds with three digits: `0.4 ms`, `352 ms`, `1.72 s`."""
    if seconds is None:
        return _NOTHING
    if seconds < _ONE_SECOND:
        return f"{seconds / _MILLISECOND:.3g}\N{NO-BREAK SPACE}ms"
    return f"{seconds:.3g}\N{NO-BREAK SPACE}s" if seconds < _MINUTES else f"{seconds:,.0f}\N{NO-BREAK SPACE}s"


def number(value: float | None) -> str:
    """Return a count with separators, or a ratio with three digits."""
    if value is None:
        return _NOTHING
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"


def plain(text: object) -> str:
    """Return a caller's text with nothing invisible left in it, for a place where no element may stand."""
    written = str(text)
    return written if written.isprintable() else repr(written)[1:-1]


def words(text: object) -> Markup:
    """Return a caller's text: escaped, nothing invisible in it, its direction kept to itself."""
    return Markup("<bdi>{}</bdi>").format(escape(plain(text)))


def field_name(name: str) -> Markup:
    """Return a dotted name that a narrow column may break behind its dots and underscores."""
    return words(name).replace(".", Markup(".<wbr>")).replace("_", Markup("_<wbr>"))
