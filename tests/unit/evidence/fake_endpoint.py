"""Askers in memory: they answer every decision, are busy, die, or answer as somebody else."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from decision_client.answer import Answer
from decision_client.asking import Attempted
from decision_client.errors import DecisionError
from decision_client.request import Asked
from decision_client.scores import calibrated
from evidence.benchmark import Plan, run
from evidence.records import Run, TaskFile
from evidence.results import Results, read_results
from evidence.results_log import ResultsLog
from evidence.task import Task
from tests.unit.decision_client import samples
from tests.unit.evidence.synthetic import definition


@dataclass
class FakeEndpoint:
    """Chooses the first option of every decision.

    Attributes:
        failing: The exceptions of the next requests, in order; None answers.
        identity: Fields of its identity record that differ.
        before: Is called before every answer, such as to wait.
        attempts: What every answer says that it took; all but one were refusals.
        asked: The ids of each request.
    """

    failing: list[DecisionError | None] = field(default_factory=list)
    identity: dict[str, Any] = field(default_factory=dict)
    before: Callable[[], object] = lambda: None
    attempts: int = 1
    asked: list[tuple[str, ...]] = field(default_factory=list)
    _arrived: threading.Condition = field(default_factory=threading.Condition)

    def ask(self, decisions: Sequence[Asked], /) -> Attempted:
        """Answer, or raise what is next."""
        with self._arrived:
            self.asked.append(tuple(each.id for each in decisions))
            failure = self.failing.pop(0) if self.failing else None
            self._arrived.notify_all()
        self.before()
        if failure:
            raise failure
        timing = {"prefill_seconds": 0.05, "suffix_forward_seconds": 0.05, "total_seconds": 0.2}
        return Attempted(
            answers=tuple(self._answer(each) for each in decisions),
            attempts=self.attempts,
            refusals=self.attempts - 1,
            seconds=0.3,
            waited_seconds=0.0,
            timing=timing if len(decisions) > 1 else None,
        )

    def wait_for(self, number: int) -> None:
        """Return when that many requests have arrived; half a minute without them is a fault."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.asked) >= number, timeout=30)

    def _answer(self, asked: Asked) -> Answer:
        ids = asked.definition.option_ids
        logits = [float(len(ids) - place) for place in range(len(ids))]
        return samples.answer(
            id=asked.id,
            choice=ids[0],
            option_ids=ids,
            option_logits=logits,
            probabilities=calibrated(logits, 1.0),
            model={**samples.IDENTITY, **self.identity},
        )


def tasks(number: int, options: int = 3, state: Callable[[int], Any] = lambda each: f"state {each}") -> list[Task]:
    """That many tasks whose first option is right: `t0`, `t1` and so on."""
    wording = definition(options)
    return [
        Task(f"t{each}", "routing", "choice", state(each), wording.question, wording.options, "a")
        for each in range(number)
    ]


def header(**settings: Any) -> Run:
    """The header of a run of those tasks."""
    return Run(
        id="run-1",
        target="http://127.0.0.1:8080",
        started="2026-01-02T03:04:05Z",
        tasks=(TaskFile(name="tasks.jsonl", sha256="f" * 64, rows=4),),
        settings={"repeat": 1, **settings},
    )


def lines(file: Path) -> list[str]:
    """The lines of a results file."""
    return file.read_text().splitlines()


def ran(file: Path, plan: Plan, endpoint: FakeEndpoint, *, resume: bool = False) -> Results:
    """Run a plan, without waiting for anything, and read what was written."""
    run(plan, endpoint, ResultsLog(file, header(), resume=resume), sleep=lambda _seconds: None)
    return read_results(file)


class Clock:
    """Seconds that go forward only when somebody sleeps."""

    def __init__(self) -> None:
        """Starts somewhere."""
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        """Tell the time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Go forward."""
        self.slept.append(seconds)
        self.now += seconds
