"""`ops report` as it is typed."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from config.rules import ConfigurationError
from evidence.results import ResultsError
from ops.__main__ import app
from tests.unit.evidence.synthetic import answered, results, write


def _results(folder: Path) -> str:
    return str(write(results([answered("t")]), folder / "results.jsonl"))


def test_the_page_is_written_where_it_was_asked_for(tmp_path: Path) -> None:
    """Whole, with nothing beside it, and a page that was there is replaced."""
    page = tmp_path / "page.html"
    page.write_text("old", encoding="utf-8")

    shown = CliRunner().invoke(app, ["report", _results(tmp_path), "--out", str(page), "--json"])

    assert shown.exit_code == 0
    assert json.loads(shown.stdout) == {"page": str(page), "bytes": page.stat().st_size}
    assert page.read_text("utf-8").endswith("</html>\n")
    assert {each.name for each in tmp_path.iterdir()} == {"page.html", "results.jsonl"}


def test_a_page_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """The file and the reason are named."""
    arguments = ["report", _results(tmp_path), "--out", str(tmp_path / "nowhere" / "page.html")]

    refused = CliRunner().invoke(app, arguments).exception

    assert isinstance(refused, ConfigurationError)
    assert "nowhere" in str(refused)


def test_nothing_is_written_of_what_is_no_results_file(tmp_path: Path) -> None:
    """The page that was there stays."""
    bad, page = tmp_path / "bad.jsonl", tmp_path / "page.html"
    bad.write_text("{}\n", encoding="utf-8")
    page.write_text("old", encoding="utf-8")

    refused = CliRunner().invoke(app, ["report", str(bad), "--out", str(page)]).exception

    assert isinstance(refused, ResultsError)
    assert page.read_text("utf-8") == "old"


def test_what_draws_is_asked_for_when_a_page_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib the command names it and the way to get it, and nothing is written."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name in [name for name in sys.modules if name.startswith("evidence.report")]:
        monkeypatch.delitem(sys.modules, name)

    refused = CliRunner().invoke(app, ["report", _results(tmp_path), "--out", str(tmp_path / "page.html")]).exception

    assert str(refused) == "This command needs matplotlib: run `make evidence`."
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("name", ["report", "compare"])
def test_every_command_of_results_explains_itself(name: str) -> None:
    """`--help` names what it reads."""
    assert "results file" in " ".join(CliRunner().invoke(app, [name, "--help"]).output.split())
