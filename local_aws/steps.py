"""The steps of a story: shown while they run, and told again as a table at the end."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


class StepFailedError(RuntimeError):
    """Something that a step asserts does not hold; one sentence says what."""


@dataclass
class Step:
    """One step, its duration in seconds, and what came of it."""

    name: str
    seconds: float = 0.0
    result: str = "ok"


@dataclass
class Steps:
    """Steps in the order they ran."""

    done: list[Step] = field(default_factory=list)

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        """Run the body as a step; an error becomes its result and goes on its way."""
        print(f"\n▶ {name}", flush=True)
        step = Step(name)
        since = time.monotonic()
        try:
            yield step
        except Exception as error:
            step.result = f"failed: {error}"
            raise
        finally:
            step.seconds = round(time.monotonic() - since, 1)
            self.done.append(step)
            print(f"  {step.result} ({step.seconds} s)", flush=True)

    def table(self) -> str:
        """Return step, seconds and result of all steps, and the sum."""
        width = max(len(step.name) for step in self.done)
        rows = [f"{step.name:<{width}}  {step.seconds:>7.1f}  {step.result}" for step in self.done]
        total = f"{'all of it':<{width}}  {sum(step.seconds for step in self.done):>7.1f}"
        return "\n".join([f"{'step':<{width}}  seconds  result", *rows, total])

    def records(self) -> list[dict[str, Any]]:
        """Return the same for a JSON file."""
        return [{"step": step.name, "seconds": step.seconds, "result": step.result} for step in self.done]


def require(*, that: bool, otherwise: str) -> None:
    """Go on if it holds.

    Raises:
        StepFailedError: it does not; `otherwise` is the sentence.
    """
    if not that:
        raise StepFailedError(otherwise)
