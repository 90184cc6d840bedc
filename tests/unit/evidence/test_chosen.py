"""Which option counts as chosen, and whether it is right: each format by its own rule."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decision_client.answer import Answer
from decision_client.request import Asked
from decision_client.scores import calibrated
from evidence.benchmark import Plan
from evidence.exchange import chosen, queue_seconds
from evidence.plan import SEQUENTIAL
from evidence.task import TieRule
from evidence.task_files import read_tasks
from tests.unit.decision_client import samples
from tests.unit.evidence.fake_endpoint import FakeEndpoint, ran, tasks
from tests.unit.evidence.task_rows import jevbench, write


def answer(ids: tuple[str, ...], logits: list[float]) -> Answer:
    """An answer that chooses the first of the greatest."""
    first = ids[logits.index(max(logits))]
    return samples.answer(choice=first, option_ids=ids, option_logits=logits, probabilities=calibrated(logits, 1.0))


@pytest.mark.parametrize(
    ("logits", "first", "smallest"),
    [
        ([2.0, 2.0, 0.0], "b", "a"),
        ([2.0, 1.0, 2.0], "b", "b"),
        ([0.0, 2.0, 2.0], "a", "a"),
        ([1.0, 1.0, 1.0], "b", "a"),
        ([2.0, 1.9999999, 0.0], "b", "b"),
        ([1.9999999, 2.0, 0.0], "a", "a"),
    ],
)
def test_equal_options_go_to_the_first_or_to_the_smallest_label(logits: list[float], first: str, smallest: str) -> None:
    """Exactly equal ones alone: the least difference decides."""
    given_answer = answer(("b", "a", "c"), logits)

    assert chosen(given_answer, TieRule.FIRST_DECLARED) == first
    assert chosen(given_answer, TieRule.SMALLEST_LABEL) == smallest


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=2, max_size=12))
def test_labels_of_a_scale_are_compared_as_text(logits: list[float]) -> None:
    """As the published rule says, by which `10` is smaller than `2`."""
    ids = tuple(str(level) for level in range(len(logits)))

    expected = min(label for label, logit in zip(ids, logits, strict=True) if logit == max(logits))
    assert chosen(answer(ids, logits), TieRule.SMALLEST_LABEL) == expected


class Undecided(FakeEndpoint):
    """Finds all options equally good."""

    def _answer(self, asked: Asked) -> Answer:
        ids = asked.definition.option_ids
        return answer(ids, [1.0] * len(ids)).model_copy(update={"id": asked.id, "tie": True})


@pytest.mark.rule(
    "A tie in a JevBench task goes to the lexicographically smallest label, in any other task to the first declared",
    tool="the run and its results file",
    emulated="the endpoint",
)
def test_a_tie_is_right_or_wrong_by_the_formats_own_rule(tmp_path: Path) -> None:
    """The labels `b` and `a` in this order: the published rule chooses `a`, the endpoint and our own format `b`."""
    question = {"type": "choice", "instructions": "Which?", "criteria": {"a": "First", "b": "Second"}}
    row = jevbench(question=question, labels=["b", "a"], expected="a")
    (published,) = read_tasks([write(tmp_path / "jev.jsonl", row)]).tasks
    own = replace(published, id="own", tie_rule=TieRule.FIRST_DECLARED)
    turned = replace(published, id="turned", gold="b")

    results = ran(tmp_path / "run.jsonl", Plan((SEQUENTIAL,), (published, own, turned)), Undecided())

    assert [(line.task, line.choice, line.correct, line.tie) for line in results.answers] == [
        ("j1", "a", True, True),
        ("own", "b", False, True),
        ("turned", "a", False, True),
    ]


def test_seconds_outside_of_the_model_are_those_of_the_queue() -> None:
    """Of a single decision by its own seconds, of a shared one by the whole request's; never less than none."""
    single = samples.answer(forward_seconds=0.1, total_seconds=0.4)
    shared = {"prefill_seconds": 0.1, "suffix_forward_seconds": 0.2}

    assert queue_seconds(single, None) == pytest.approx(0.3)
    assert queue_seconds(single, shared) == pytest.approx(0.1)
    assert queue_seconds(single, {"prefill_seconds": 9.0}) == 0
    assert queue_seconds(samples.answer(forward_seconds=0.5, total_seconds=0.4), None) == 0


def test_an_answers_line_says_which_option_means_none_of_these(tmp_path: Path) -> None:
    """Calibration leaves out answers that chose it."""
    (task,) = tasks(1)

    results = ran(tmp_path / "run.jsonl", Plan((SEQUENTIAL,), (replace(task, abstain_option="c"),)), FakeEndpoint())

    assert [line.abstain_option for line in results.answers] == ["c"]
