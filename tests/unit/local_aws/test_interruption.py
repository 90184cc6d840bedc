import os
import signal
from collections.abc import Iterator

import pytest

from local_aws import interruption


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in interruption.SIGNALS}
    interruption.listen()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", interruption.SIGNALS)
def test_signal_interrupts_once(number: signal.Signals) -> None:
    """The first signal interrupts; the next ones are ignored, so that cleaning up is not interrupted."""
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), number)

    os.kill(os.getpid(), number)


def test_held_interruption_comes_when_the_holding_ends() -> None:
    """A signal during a held body lets the body finish first."""
    finished = []

    with pytest.raises(KeyboardInterrupt), interruption.held():  # noqa: PT012 -- it is the end of the block that raises
        os.kill(os.getpid(), signal.SIGTERM)
        finished.append("body")

    assert finished == ["body"]


def test_inner_holding_does_not_let_it_come_earlier() -> None:
    """Within another holding, the end of the inner one does not interrupt."""
    finished = []

    with pytest.raises(KeyboardInterrupt), interruption.held():  # noqa: PT012 -- it is the end of the block that raises
        with interruption.held():
            os.kill(os.getpid(), signal.SIGTERM)
        finished.append("outer body")

    assert finished == ["outer body"]
