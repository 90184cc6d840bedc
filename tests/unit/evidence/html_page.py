"""A page as a browser's parser and a screen reader would meet it."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_INSIDE_WORDS = {"bdi", "wbr"}
_VOID = {"meta", "br", "wbr", "line", "rect", "circle", "polygon", "polyline"}


@dataclass
class Element:
    """One element: its tag, attributes, the text inside it, and its ancestors' tags."""

    tag: str
    attributes: dict[str, str]
    within: tuple[str, ...]
    text: str = ""


@dataclass
class Page(HTMLParser):
    """All elements in order; `crossed` are tags that were closed while another one was open."""

    elements: list[Element] = field(default_factory=list)
    crossed: list[str] = field(default_factory=list)
    open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element; most begin a word."""
        if tag not in _INSIDE_WORDS:
            self.handle_data(" ")
        element = Element(tag, {name: value or "" for name, value in attrs}, tuple(each.tag for each in self.open))
        self.elements.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that is closed where it is opened."""
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}, ()))

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        if not self.open or self.open.pop().tag != tag:
            self.crossed.append(tag)

    def handle_data(self, data: str) -> None:
        """Add text to all elements around it."""
        for element in self.open:
            element.text += data

    def all(self, *tags: str) -> list[Element]:
        """Return the elements with one of these tags."""
        return [element for element in self.elements if element.tag in tags]

    def words(self) -> str:
        """Return what is read, in one line."""
        return " ".join(self.all("main")[0].text.split())


def parse(html: str) -> Page:
    """Parse a page that is whole."""
    page = Page()
    page.feed(html)
    page.close()
    assert not page.open
    assert not page.crossed
    return page
