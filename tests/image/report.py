"""The steps of the test: run one after another, each timed, and shown as a table."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.image.failure import StepFailedError


@dataclass
class Step:
    """One row of the table; `seconds` is wall time, `result` a short sentence or figure."""

    name: str
    seconds: float = 0.0
    result: str = "not run"
    held: bool = False


class Report:
    """The rows, in order; everything held only if every planned step ran and held."""

    def __init__(self, planned: tuple[str, ...]) -> None:
        self._steps = {name: Step(name) for name in planned}

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        """Time one planned step; its block sets the result.

        Raises:
            StepFailedError: what the block raised, after it is noted.
        """
        step = self._steps[name]
        say(f"· {name}")
        began = time.monotonic()
        try:
            yield step
            step.held = True
        except StepFailedError as failure:
            step.result = f"FAILED: {failure}"
            say(failure.output[-8000:])
            raise
        except BaseException as error:
            step.result = f"FAILED: {type(error).__name__}: {error}"
            raise
        finally:
            step.seconds = time.monotonic() - began

    @property
    def held(self) -> bool:
        """Whether every planned step ran and held."""
        return all(step.held for step in self._steps.values())

    def table(self) -> str:
        """Lay the steps out in three columns."""
        width = max(map(len, self._steps))
        rows = (f"{step.name:<{width}}  {step.seconds:>7.1f}  {step.result}" for step in self._steps.values())
        return "\n".join((f"{'step':<{width}}  {'seconds':>7}  result", *rows))


def say(text: str) -> None:
    """Write one text to standard output, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
