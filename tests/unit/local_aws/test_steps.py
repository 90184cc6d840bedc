import pytest

from local_aws.steps import Step, StepFailedError, Steps, require


def test_table_tells_each_step_and_the_sum(capsys: pytest.CaptureFixture[str]) -> None:
    """The table has one line for each step, with seconds and result, and the sum at the end."""
    steps = Steps([Step("first", 1.5, "ok"), Step("second one", 20.0, "asked")])

    assert steps.table().splitlines() == [
        "step        seconds  result",
        "first           1.5  ok",
        "second one     20.0  asked",
        "all of it      21.5",
    ]
    assert capsys.readouterr().out == ""


def test_failed_step_is_told_as_failed_and_ends_the_story(capsys: pytest.CaptureFixture[str]) -> None:
    """What does not hold becomes the step's result and goes on as an error."""
    steps = Steps()

    with pytest.raises(StepFailedError, match="no answer"), steps.step("ask"):
        require(that=False, otherwise="no answer")

    assert [step["result"] for step in steps.records()] == ["failed: no answer"]
    assert "failed: no answer" in capsys.readouterr().out
