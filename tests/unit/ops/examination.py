"""An account with an illness, and what the doctor has to tell about it."""

from collections.abc import Callable
from dataclasses import dataclass

from ops.doctor import examine
from ops.report import Line, State, exit_code
from tests.unit.ops.fake_account import SETTINGS, FakeAccount, error

Break = Callable[[FakeAccount], object]


@dataclass(frozen=True)
class Illness:
    """What makes a healthy account ill, and the line about it: its subject, its state, and words of both its parts."""

    breaks: Break
    subject: str
    state: State
    says: str
    action: str


def examined(*breaks: Break) -> dict[str, Line]:
    """Return what the doctor says of an account that was healthy before, by subject."""
    account = FakeAccount()
    for each in breaks:
        each(account)
    return {line.subject: line for line in examine(account.services(), SETTINGS)}


def refuse(operation: str, code: str) -> Break:
    """Let one call fail."""
    return lambda account: account.refused.update({operation: error(code)})


def assert_told(illness: Illness) -> None:
    """Assert that the illness has its line, that the exit code says so, and that no ill line lacks an action."""
    lines = examined(illness.breaks)

    line = lines[illness.subject]
    assert line.state is illness.state
    assert illness.says in line.says
    assert illness.action in line.action
    assert exit_code(lines.values()) == (2 if illness.state is State.WRONG else 1)
    assert all(each.action for each in lines.values() if each.state is not State.OK)
