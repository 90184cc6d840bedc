"""The page of a run is whole, self-contained, and readable without seeing it."""

import re
from itertools import pairwise

import pytest

from evidence.report import page
from tests.unit.evidence.html_page import Page, parse
from tests.unit.evidence.report_runs import RUNS

PAGES: dict[str, Page] = {name: parse(page(run)) for name, run in RUNS.items()}
every_page = pytest.mark.parametrize("shown", PAGES.values(), ids=PAGES)


@every_page
def test_a_page_needs_nothing_but_itself(shown: Page) -> None:
    """No script, no request, and a policy that would forbid both."""
    assert not shown.all("script", "link", "img", "iframe", "object", "form")
    targets = [each.attributes.get(name, "#") for each in shown.elements for name in ("src", "href", "action")]
    assert all(target.startswith("#") for target in targets)
    assert "url(" not in shown.all("style")[0].text
    assert "@import" not in shown.all("style")[0].text
    (policy,) = [each for each in shown.all("meta") if "http-equiv" in each.attributes]
    assert policy.attributes["content"].startswith("default-src 'none'")


@every_page
def test_headings_descend_one_level_at_a_time(shown: Page) -> None:
    """One first heading, so that a screen reader's outline is the page's."""
    levels = [int(each.tag[1]) for each in shown.all("h1", "h2", "h3", "h4")]

    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


@every_page
def test_every_table_has_a_caption_and_headers_with_a_scope(shown: Page) -> None:
    """Each row is named by its first cell."""
    assert len(shown.all("caption")) == len(shown.all("table")) > 0
    assert all(each.text.strip() for each in shown.all("caption"))
    assert all(each.attributes.get("scope") in {"col", "row"} for each in shown.all("th"))
    rows = [each for each in shown.all("tr") if "tbody" in each.within]
    assert len([each for each in shown.all("th") if each.attributes["scope"] == "row"]) == len(rows)


@every_page
def test_every_drawing_says_in_words_what_it_shows(shown: Page) -> None:
    """Title and description by id, or, where the cells beside it have the figures, hidden from who hears the page."""
    names = {each.attributes["id"]: each.text.strip() for each in shown.elements if "id" in each.attributes}
    for drawing in shown.all("svg"):
        if drawing.attributes.get("aria-hidden") == "true":
            assert "td" in drawing.within
            continue
        assert drawing.attributes["role"] == "img"
        assert all(names[each] for each in drawing.attributes["aria-labelledby"].split())


@every_page
def test_ids_are_unique_and_links_lead_somewhere(shown: Page) -> None:
    """Within one page."""
    ids = [each.attributes["id"] for each in shown.elements if "id" in each.attributes]

    assert len(ids) == len(set(ids))
    assert {each.attributes["href"][1:] for each in shown.all("a")} <= set(ids)


@every_page
def test_what_scrolls_can_be_reached_and_is_named(shown: Page) -> None:
    """By keyboard, and by a name of its own."""
    regions = [each for each in shown.all("div") if each.attributes.get("class") == "scroll"]

    assert all(each.attributes["tabindex"] == "0" for each in regions)
    assert all(each.attributes["role"] == "region" for each in regions)
    assert len({each.attributes["aria-label"] for each in regions}) == len(regions)


@every_page
def test_no_coordinate_is_missing(shown: Page) -> None:
    """Every number of a drawing is one."""
    written = [value for each in shown.elements for value in each.attributes.values()]

    assert not [value for value in written if re.search(r"\b(nan|inf|None|Undefined)\b", value)]
