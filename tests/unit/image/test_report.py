"""The image test's table and verdict."""

import pytest

from tests.image.failure import StepFailedError
from tests.image.report import Report


def test_everything_held_when_every_planned_step_did() -> None:
    """The verdict is yes after all planned steps ran through."""
    report = Report(("one", "two"))
    for name in ("one", "two"):
        with report.step(name) as step:
            step.result = f"{name} is well"
    assert report.held
    assert "two is well" in report.table()


def test_a_step_that_did_not_run_is_no_success() -> None:
    """A planned step that nobody ran shows in the table and in the verdict."""
    report = Report(("one", "two"))
    with report.step("one"):
        pass
    assert not report.held
    assert "not run" in report.table().splitlines()[-1]


def test_a_failed_step_is_named_with_its_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """A failure ends up in the table, its output on the screen, and goes on up."""
    report = Report(("one",))
    with pytest.raises(StepFailedError), report.step("one"):
        raise StepFailedError("It broke.", "what was printed")
    assert not report.held
    assert "FAILED: It broke." in report.table()
    assert "what was printed" in capsys.readouterr().out


def test_an_unforeseen_error_is_a_failure_too() -> None:
    """An error that no step foresees fails its step and is not swallowed."""
    report = Report(("one",))
    with pytest.raises(ZeroDivisionError), report.step("one"):
        _ = 1 // 0
    assert "FAILED: ZeroDivisionError" in report.table()
