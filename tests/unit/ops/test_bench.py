"""`ops bench`: what it asks, and what it prints and writes."""

import json
import math
from pathlib import Path

import pytest

from config.loader import ENVIRONMENTS_DIRECTORY, load
from evidence.results import read_results
from tests.contract.application import Served
from tests.unit.decision_client.listening import listening
from tests.unit.evidence.task_rows import native, strands, write
from tests.unit.ops.bench_container import CANARY, Container, bench, serve_everywhere, three_rows


@pytest.fixture
def container(monkeypatch: pytest.MonkeyPatch) -> Container:
    """Return a container that every environment's transport leads to."""
    return serve_everywhere(monkeypatch)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Return a task file of three rows."""
    return three_rows(tmp_path)


def test_a_container_is_asked_by_its_url(container: Container, rows: Path, tmp_path: Path) -> None:
    """Over real HTTP; the figures are printed, the results file is named and holds every line."""
    with listening(container.over_http) as at:
        told = bench(at.url, "--tasks", rows, "--out", tmp_path / "run.jsonl")

    assert told.exit_code == 0, told.output
    assert "sequential: 3 of 3 decisions answered" in told.stdout
    assert "valid       3 of 3" in told.stdout
    results = read_results(tmp_path / "run.jsonl")
    assert results.run.target == at.url
    assert [line.task for line in results.answers] == ["t1", "t2", "t3"]
    page = (tmp_path / "run.html").read_text()
    assert "own.jsonl" in page
    assert CANARY not in told.output + (tmp_path / "run.jsonl").read_text() + page


def test_an_environment_is_asked_through_sagemaker(container: Container, rows: Path, tmp_path: Path) -> None:
    """Its decision endpoint by name; every phase that is asked for has its figures."""
    out = tmp_path / "run.jsonl"
    told = bench("local", "--tasks", rows, "--sequential", "--concurrency", 1, 4, "--out", out, "--json")

    document = json.loads(told.stdout)
    assert document["run"]["target"] == "local: semif-local-decision"
    assert [phase["name"] for phase in document["phases"]] == ["sequential", "closed-1", "closed-4"]
    assert [phase["answered"] for phase in document["phases"]] == [3, 3, 3]
    assert len(container.bodies) == 9


def test_each_request_has_the_deadline_that_is_told(container: Container, rows: Path, tmp_path: Path) -> None:
    """An attempt is given what is left of it; without the option that is an application's."""
    bench("local", "--tasks", rows, "--deadline", "9", "--out", tmp_path / "short.jsonl")
    bench("local", "--tasks", rows, "--out", tmp_path / "usual.jsonl")

    assert [math.ceil(each) for each in container.timeouts] == [9, 9, 9, 70, 70, 70]


def test_decisions_about_one_state_are_sent_together(container: Container, rows: Path, tmp_path: Path) -> None:
    """Two of the three rows have an equal state."""
    told = bench("local", "--tasks", rows, "--shared", "--out", tmp_path / "run.jsonl")

    assert told.exit_code == 0
    assert [list(json.loads(body)) for body in container.bodies] == [["decisions"], ["decision"]]
    assert "requests    2, attempts 2" in told.stdout
    assert read_results(tmp_path / "run.jsonl").run.decisions == {"sequential": 3}


def test_an_open_loop_lasts_as_long_as_told(container: Container, rows: Path, tmp_path: Path) -> None:
    """Forty requests a second for a tenth of one are four."""
    told = bench("local", "--tasks", rows, "--rate", "40", "--duration", "0.1", "--out", tmp_path / "run.jsonl")

    assert told.exit_code == 0
    assert len(container.bodies) == 4
    assert "open-40: 4 of 4 decisions answered" in told.stdout
    assert "scaling     the target was not breached" in told.stdout


def test_files_and_orders_that_were_asked_stand_on_the_page(container: Container, rows: Path, tmp_path: Path) -> None:
    """Accuracy by task file, and what moving the options changes; three options have three orders, two have two."""
    write(rows.parent / "more.jsonl", native(id="t4"))

    told = bench("local", "--tasks", rows.parent, "--rotations", 3, "--out", tmp_path / "out/run.jsonl")

    page = (tmp_path / "out/run.html").read_text()
    assert len(container.bodies) == 2 * 3 + 2 * 2
    assert "file      more.jsonl" in told.stdout
    assert "By task file" in page
    assert "Order of the options" in page
    assert "1&nbsp;of&nbsp;3" in page


def test_a_folder_stands_for_its_task_files(container: Container, rows: Path, tmp_path: Path) -> None:
    """In the order of their names."""
    write(rows.parent / "more.jsonl", native(id="t4"))

    told = bench("local", "--tasks", rows.parent, "--out", tmp_path / "out/run.jsonl")

    assert "4 of 4" in told.stdout
    assert len(container.bodies) == 4


def test_labels_made_by_models_are_said_with_the_figures(container: Container, tmp_path: Path) -> None:
    """By the format's own note, or the caller's."""
    files = [write(tmp_path / "flips.jsonl", strands()), write(tmp_path / "own.jsonl", native())]

    told = bench(
        "local", "--tasks", *files, "--note", "own.jsonl=labels are guesses", "--out", tmp_path / "run/run.jsonl"
    )

    assert container.bodies
    assert "NOTE on every figure that flips.jsonl is part of: labels made and checked by models" in told.stdout
    assert "NOTE on every figure that own.jsonl is part of: labels are guesses" in told.stdout


def test_an_environment_takes_so_many_decisions_together(container: Container, tmp_path: Path) -> None:
    """As its file says: nine decisions of one state are two requests where it says eight."""
    rows = [native(id=f"t{number}") for number in range(9)]
    fewer = (ENVIRONMENTS_DIRECTORY / "local.toml").read_text()
    assert "max_shared_decisions = 8\n" in fewer
    (tmp_path / "local.toml").write_text(fewer.replace("max_shared_decisions = 8\n", "max_shared_decisions = 4\n"))

    told = bench("local", "--tasks", write(tmp_path / "own.jsonl", *rows), "--shared", "--out", tmp_path / "run.jsonl")

    assert "requests    2, attempts 2" in told.stdout
    assert len(json.loads(container.bodies[0])["decisions"]) == load("local").decision.limits.max_shared_decisions == 8

    here = ("--environments-directory", tmp_path, "--out", tmp_path / "fewer.jsonl")
    told = bench("local", "--tasks", tmp_path / "own.jsonl", "--shared", *here)
    assert "requests    3, attempts 3" in told.stdout


def test_a_machine_that_is_too_slow_is_an_error_of_its_own(container: Container, rows: Path, tmp_path: Path) -> None:
    """It is wrong like every failure, and no malformed request; a resumed run asks it again."""
    arguments = ("local", "--tasks", rows, "--out", tmp_path / "run.jsonl")
    container.served = Served(seconds_per_token=1.0)

    told = bench(*arguments)
    container.served = Served()
    again = bench(*arguments, "--resume")

    assert "valid       0 of 3" in told.stdout
    assert "error       3 decisions: TooSlowHereError 400 too_slow_here" in told.stdout
    assert "valid       3 of 3" in again.stdout
