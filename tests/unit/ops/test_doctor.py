"""What the doctor says about a healthy account, and about one that it may not look at everywhere."""

from ops.report import State, exit_code
from tests.unit.ops.examination import examined, refuse


def test_healthy_environment_is_ok_in_every_line() -> None:
    """Whatever is looked at is told, nothing asks for an action, and the exit code is 0."""
    lines = examined()

    assert {line.state for line in lines.values()} == {State.OK}
    assert not any(line.action for line in lines.values())
    assert exit_code(lines.values()) == 0
    assert {"credentials", "region", "quota ml.c6i.large", "images.chat", "images.decision_base"} <= lines.keys()
    assert {"key", "bucket", "model key", "repository", "build project"} <= lines.keys()
    assert {
        f"{kind} {what}" for kind in ("chat", "decision") for what in ("endpoint", "image", "model")
    } <= lines.keys()
    assert {
        f"stack semif-local-{name}" for name in ("artifact", "build", "chat", "decision", "monitoring")
    } <= lines.keys()


def test_denied_question_does_not_hide_the_others() -> None:
    """What cannot be looked at is wrong, and what comes after it is looked at."""
    lines = examined(refuse("list_stack_resources", "AccessDenied"))

    assert "cannot be looked at" in lines["builds"].says
    assert lines["chat endpoint"].state is State.OK
