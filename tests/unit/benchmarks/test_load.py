"""Figures of the load test, and what it takes for a wrong answer."""

import json
from collections import Counter

from benchmarks.load.cases import Case
from benchmarks.load.client import Outcome
from benchmarks.load.tally import reasons, table, tally
from benchmarks.workload import Body

CASE = Case(b"{}", (("q", (1.5, 2.25)),))


def answer(*, id_: str = "q", logits: tuple[float, ...] = (1.5, 2.25), choice: str = "no") -> Body:
    """An answer to the case, right unless said otherwise."""
    return {"result": {"id": id_, "option_ids": ["yes", "no"], "option_logits": list(logits), "choice": choice}}


def test_answer_with_the_expected_bits_is_right() -> None:
    """A right answer has no fault, in single and in shared form."""
    assert CASE.fault(answer()) is None
    assert CASE.fault({"results": [answer()["result"]]}) is None


def test_answer_that_differs_in_the_last_bit_is_wrong() -> None:
    """Near is not right."""
    assert "logits" in str(CASE.fault(answer(logits=(1.5, 2.2500000000000004))))


def test_answer_to_another_question_is_wrong() -> None:
    """Answers must not be mixed up between requests."""
    assert CASE.fault(answer(id_="other")) == "other decisions than asked were answered"
    assert CASE.fault({"results": []}) == "other decisions than asked were answered"


def test_answer_that_names_another_choice_is_wrong() -> None:
    """The choice must be the option with the highest logit."""
    assert "another choice" in str(CASE.fault(answer(choice="yes")))


def test_tally_counts_every_request_once() -> None:
    """A request is right, wrong or given up; attempts and rejections are added up."""
    outcomes = [
        Outcome(seconds=1.0, attempts=1, decisions=4),
        Outcome(seconds=3.0, attempts=3, decisions=1, rejections=Counter(busy=2)),
        Outcome(seconds=9.0, attempts=10, rejections=Counter(busy=9, late=1)),
        Outcome(seconds=0.5, attempts=1, fault="status 500"),
    ]

    found = tally("4 clients", outcomes, [], planned=5, seconds=10.0)

    assert (found.right, found.wrong, found.unanswered) == (2, 1, 1)
    assert (found.goodput, found.amplification, found.decisions) == (0.2, 15 / 4, 5)
    assert (found.p50, found.p99) == (1.0, 3.0)
    assert found.rejections == {"busy": 11, "late": 1}
    assert json.loads(json.dumps(found.as_json()))["goodput"] == 0.2


def test_table_shows_a_stage_that_was_cut_short_and_one_without_answers() -> None:
    """What was planned but not begun is said, and no latency is made up."""
    line = table([tally("2 clients", [Outcome(attempts=2)], [], planned=4, seconds=1.0)]).splitlines()[1]

    assert "1 of 4" in line
    assert line.count(" - ") == 3


def test_reasons_are_read_from_the_refusals_in_the_log() -> None:
    """Only refusals for want of capacity count; other lines, JSON or not, do not."""
    lines = [
        '{"event":"ready","status":503}',
        '{"event":"request","status":503,"code":"busy","reason":"too_late"}',
        '{"event":"request","status":503,"code":"deadline_exceeded"}',
        '{"event":"request","status":200}',
        "llama: loaded",
    ]

    assert reasons(lines) == {"too_late": 1, "deadline_exceeded": 1}
