"""The page of a run is true to its figures."""

import re
from typing import Any

from evidence.report import page
from tests.unit.evidence.html_page import Page, parse
from tests.unit.evidence.report_runs import L4, NOTE, RUNS
from tests.unit.evidence.synthetic import Scorer, answered, identity, results

PAGES: dict[str, Page] = {name: parse(page(run)) for name, run in RUNS.items()}


def test_the_figures_are_those_of_the_summary() -> None:
    """One of two right, Wilson's interval, what guessing comes to, and the labels' note wherever a share stands."""
    words = PAGES["few"].words()

    assert "50.0 % 1 of 2 tasks; 95 % interval 9.5 % to 90.5 %; guessing 33.3 %" in words
    assert "valid responses 2 of 2" in words
    assert words.count(NOTE) == 3


def test_wrong_answers_are_listed_with_label_and_choice() -> None:
    """The most certain first, and no more than fit; the rest is counted."""
    rows = [each.text.split() for each in PAGES["few"].all("tr")]

    assert ["t1", "a", "b", "50.6", "%"] in rows
    assert re.search(r"20 of \d+; the results file has all", PAGES["many"].words())


def test_every_phase_family_error_and_scale_out_is_there() -> None:
    """Five phases in tables of four, twenty families, two kinds of failure, seconds from breach to capacity."""
    shown = PAGES["many"]
    rows = {each.text.strip() for each in shown.all("th")}

    assert {"sequential", "closed-1", "closed-4", "closed-16", "open-1.5"} <= rows
    assert {f"family {number}" for number in range(20)} <= rows
    assert "EndpointBusyError 503 busy" in shown.words()
    assert "390 s" in shown.words()
    assert len([each for each in shown.all("title") if each.text.startswith("Seconds of")]) == 5


def test_accuracy_is_split_by_task_file_where_there_are_several() -> None:
    """The lowest share first, as for types and families; one file alone is the run itself."""
    words = PAGES["many"].words()

    assert "By task file, the lowest share first" in words
    assert "1.jsonl 136 of 200 68.0 %" in words
    assert "By task file" not in PAGES["few"].words()


def test_the_order_of_options_is_shown_where_it_was_asked() -> None:
    """Changed answers by type with the exact interval, and what each place gets where every order was asked."""
    words = PAGES["rotated"].words()

    assert "choice 16 of 20 80.0 % 56\N{EN DASH}94 %" in words
    assert "differ from the one as declared: choice 27 of 40, score 0 of 4." in words
    assert "choice, 1 of 3 20 tasks 71.7 % 62.8 %" in words
    assert "score, 1 of 5" not in words
    assert "Order of the options" not in PAGES["many"].words()


def test_what_a_place_gets_takes_every_order() -> None:
    """Two of five orders give the answers that change, and no place's probability."""
    words = parse(page(results(Scorer(options=5).answers(4, 1, rotations=2)))).words()

    assert "choice 0 of 4" in words
    assert "No task was asked in every order of its options" in words


def test_orders_mix_neither_identities_nor_phases() -> None:
    """An answer of another pool member, or of another phase, is no moved answer of this one."""
    declared = [answered(f"t{number}", phase="closed-4") for number in range(2)]
    turned: dict[str, Any] = {"rotation": 1, "option_ids": ("b", "c", "a")}
    of_another = answered("t0", phase="closed-4", identity=L4.sha256, **turned)
    later = [answered("t1", phase="closed-16", started_seconds=1, **each) for each in ({}, turned)]

    words = parse(page(results([*declared, of_another, *later], identity(), L4))).words()

    assert "Order of the options" not in words


def test_a_run_that_mixes_identities_says_so_and_averages_nothing() -> None:
    """Each identity has figures of its own answers; the failure is nobody's."""
    words = PAGES["mixed"].words()

    assert "2 different identities answered" in words
    assert "Identity 1: tiny on NVIDIA L40S" in words
    assert "Identity 2: tiny on NVIDIA L4" in words
    assert words.count("1 of 1 tasks") == words.count("0 of 1 tasks") == 1
    assert "1 of 2" not in words


def test_a_run_without_an_answer_shows_why() -> None:
    """No figure, only what came instead."""
    words = PAGES["nothing"].words()

    assert "nothing was answered" in words
    assert "EndpointBusyError 503 busy 2" in words


def test_the_identity_record_is_complete() -> None:
    """Every field, nested ones by their dotted names, and the record's digest."""
    words = PAGES["few"].words()

    assert all(name in words for name in ("llama_cpp.library_sha256", "image_digest", "layers_offloaded", "tokenizer"))
    assert identity().sha256 in words
