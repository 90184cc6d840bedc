"""The answers of a run as calibration counts them."""

import pytest

from evidence.calibration.labelled import of_results
from evidence.calibration.sample import Missed, scored
from evidence.results import ResultsError
from tests.unit.evidence.synthetic import Scorer, answered, failed, results


def test_sample_counts_each_task_once() -> None:
    """Repeats, rotations and later phases of a task are no further evidence."""
    lines = [
        answered("t1", (1.0, 3.0, 0.0), repeat=1),
        answered("t1", (3.0, 1.0, 0.0), repeat=0),
        answered("t1", (0.0, 1.0, 3.0), phase="closed-4"),
        answered("t2", rotation=1),
        *Scorer().answers(5, 0, rotations=3),
    ]
    found = of_results(results(lines)).answers
    assert [each.task for each in found] == ["t1", *(f"task-{number:05}" for number in range(5))]
    assert found[0].option_logits == (3.0, 1.0, 0.0)


def test_sample_does_not_replace_a_failure_by_a_later_answer() -> None:
    """A task whose first attempt failed has no answer, though its repeat has one."""
    found = of_results(results([failed("t1"), answered("t1", repeat=1)]))
    assert found.answers == ()
    assert [type(each) for each in found.missed] == [Missed]


def test_run_that_ended_early_is_said_to_have() -> None:
    """Whatever is concluded from it; repeats and failures were asked, too."""
    made = results([answered("t1"), answered("t1", repeat=1), failed("t2")])
    made.run = made.run.model_copy(update={"decisions": {"sequential": 6}})
    assert of_results(made).remarks == ("unfinished: 3 decisions of the run were not asked",)
    made.run = made.run.model_copy(update={"decisions": {"sequential": 3}})
    assert of_results(made).remarks == ()


def test_same_text_under_two_ids_is_said() -> None:
    """Two tasks of one text are one draw of it; its repeats and rotations are none of them."""
    twice = [answered("t1"), answered("t1", repeat=1), answered("t2", prompt_sha256=answered("t1").prompt_sha256)]
    (said,) = of_results(results([*twice, answered("t3")])).remarks
    assert said.startswith("3 tasks have 2 texts: ")


def test_scored_answer_says_what_was_sent_at_temperature_one() -> None:
    """The probability is the endpoint's, and a higher temperature lowers it."""
    line = answered("t1")
    found = scored(line)
    assert found.confidence() == pytest.approx(line.probabilities[0])
    assert found.confidence(3.0) < found.confidence()
    assert found.margin() == pytest.approx(line.probabilities[0] - line.probabilities[1])
    assert found.correct
    assert not found.abstains
    assert scored(answered("t1", abstain_option="a")).abstains


def test_scored_answer_refuses_a_label_that_is_no_option() -> None:
    """A label outside the options cannot be right or wrong; the sentence names the task and no text."""
    with pytest.raises(ResultsError, match=r"^task t1: gold or choice is none of the options$"):
        scored(answered("t1", gold="z"))
