"""`ops cost` as it is typed."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from config.loader import load
from ops import __main__
from ops.__main__ import app
from ops.evidence.bench_target import recorded_name
from tests.unit.evidence.synthetic import answered, failed, identity, results, write
from tests.unit.ops.price_file import documented

HERE = recorded_name(load("dev"))


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["cost", *arguments])


def _results(folder: Path, *, target: str) -> str:
    """Ten answers in five seconds, by what the environment `dev` would run."""
    model = load("dev").model
    record = identity(gguf={"file": model.file, "bytes": model.bytes, "sha256": model.sha256}, threads=32)
    lines = [
        answered(f"t{n}", started_seconds=n / 2, client_seconds=0.5, identity=record.sha256, phase="closed-4")
        for n in range(10)
    ]
    made = results(lines, record)
    made.run = made.run.model_copy(update={"target": target})
    return str(write(made, folder / "results.jsonl"))


def test_every_figure_says_what_it_rests_on(tmp_path: Path) -> None:
    """Prices with their date and source; hours; decisions; each assumption once; what is left out."""
    shown = _run("dev", "--prices", str(documented(tmp_path)), "--results", _results(tmp_path, target=HERE))

    assert shown.exit_code == 0
    assert shown.output.splitlines() == [
        "Prices: USD, us-east-1, 2026-11-30, docs/operations.md",
        "semif-dev-chat: 1 instance of ml.c6i.2xlarge: 0.408 USD an hour (price assumed)",
        "semif-dev-decision: 1 instance of ml.c6i.8xlarge: 1.632 USD an hour (price assumed)",
        "Together: 2.040 USD an hour, 1,469 in 30 days, asked or not",
        "1,000 decisions, closed-4, ml.c6i.8xlarge: 0.227 USD at 2 a second (price assumed, throughput measured)",
        "Assumed: the price of ml.c6i.2xlarge: EC2's price and a fifth",
        "Assumed: the price of ml.c6i.8xlarge: EC2's price and a fifth",
        "1,000 decisions cost that while the load never pauses: at a tenth of it, ten times as much.",
        "Not included: storage, logs, alarms, builds, traffic, tax, the second fleet during an update.",
    ]


def test_without_a_run_only_hours_are_said(tmp_path: Path) -> None:
    """And how to get the other figure."""
    shown = _run("prod", "--prices", str(documented(tmp_path)))

    assert "0.940 to 2.610 USD an hour (price given)" in shown.output
    assert "Together: 1.348 to 3.018 USD an hour, 971 to 2,173 in 30 days" in shown.output
    assert "measure one with `ops bench`" in shown.output


def test_a_fraction_of_a_cent_keeps_its_figures(tmp_path: Path) -> None:
    """Rounding to the third place would make cheap decisions free."""
    file = documented(tmp_path, ("per_hour = 1.632", "per_hour = 0.001632"))

    shown = _run("dev", "--prices", str(file), "--results", _results(tmp_path, target=HERE))

    assert "ml.c6i.8xlarge: 0.000227 USD at" in shown.output


def test_json_holds_exact_amounts_and_reasons(tmp_path: Path) -> None:
    """For programs; the target of the run is not the environment's."""
    arguments = ("--prices", str(documented(tmp_path)), "--results", _results(tmp_path, target="http://127.0.0.1:8080"))

    found = json.loads(_run("dev", *arguments, "--json").output)

    assert found["per_hour"]["low"] == "2.040"
    assert found["prices"]["date"] == "2026-11-30"
    (one,) = found["decisions"]
    assert one["per_1000"]["throughput_assumed"] == ["dev is as fast as http://127.0.0.1:8080, which was measured"]


def test_a_target_cannot_command_the_terminal(tmp_path: Path) -> None:
    """A results file is somebody's text: escape sequences in it are shown quoted."""
    shown = _run("dev", "--prices", str(documented(tmp_path)), "--results", _results(tmp_path, target="\x1b[2J"))

    assert "\x1b" not in shown.output
    assert r"\x1b[2J" in shown.output


def _refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", ["ops", "cost", *arguments])
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert said.out == ""
    (sentence,) = said.err.splitlines()
    return sentence


def test_what_cannot_be_added_up_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing file, a missing price, results without an answer."""
    prices = str(documented(tmp_path))
    nothing = str(write(results([failed("t1")]), tmp_path / "nothing.jsonl"))

    assert "gone.toml: cannot be read" in _refused(monkeypatch, capsys, "dev", "--prices", "gone.toml")
    assert "holds no answer" in _refused(monkeypatch, capsys, "dev", "--prices", prices, "--results", nothing)
    fewer = str(documented(tmp_path, ("ml.c6i.8xlarge", "ml.c6i.4xlarge")))
    assert "has no ml.c6i.8xlarge" in _refused(monkeypatch, capsys, "dev", "--prices", fewer)


def test_other_currency_is_said_with_every_amount(tmp_path: Path) -> None:
    """The file's own, and no other: nothing is converted."""
    file = documented(tmp_path, ('"USD"', '"EUR"'))

    shown = _run("dev", "--prices", str(file), "--results", _results(tmp_path, target=HERE))

    assert shown.output.count("EUR") == 5
    assert "USD" not in shown.output
