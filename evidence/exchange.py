"""One request of a run, asked and written down."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from decision_client.answer import Answer
from decision_client.asking import Attempted
from decision_client.errors import (
    DeadlineExceededError,
    DecisionError,
    EndpointNotFoundError,
    ModelFailureError,
    NotAllowedError,
)
from decision_client.request import Asked
from evidence.asker import Asker
from evidence.load import Load
from evidence.plan import Item, Request
from evidence.records import Answered, Failed
from evidence.results_log import ResultsLog
from evidence.task import TieRule

_FAILURES: Final = 5
_GONE: Final = (EndpointNotFoundError, NotAllowedError)
_BROKEN: Final = (ModelFailureError, DeadlineExceededError)
NOT_BEGUN: Final = "NotBegun"


class EndpointGoneError(RuntimeError):
    """The run cannot go on: nothing listens, nobody may ask, or nothing but failures comes back. One sentence."""


@dataclass(slots=True)
class Exchange:
    """Asks requests and writes what came of each decision; used from several threads.

    Attributes:
        asker: Who is asked.
        log: Where lines go.
        clock: Seconds since the run's start.
        told: Is called with the number of decisions that were answered or failed.
        load: What is outstanding.
    """

    asker: Asker
    log: ResultsLog
    clock: Callable[[], float]
    told: Callable[[int], None]
    load: Load
    _failures: int = field(default=0)  # one after the other, without an answer between; a race loses a count at most

    def ask(self, request: Request, *, patience: int, late_seconds: float = 0.0) -> None:
        """Ask one request.

        Args:
            request: Decisions about one state.
            patience: How many failures more than a few may come one after the other: requests outstanding at a time.
            late_seconds: How long after its time it begins.

        Raises:
            EndpointGoneError: The run cannot go on. What ended it is not written, since it says nothing of a decision.
        """
        asked = [Asked(item.task.id, item.task.state, item.task.wording) for item in request]
        started = self.clock()
        common = {"started_seconds": started, "late_seconds": late_seconds, "shared": len(request)}
        try:
            with self.load.request():
                attempted = self.asker.ask(asked)
        except _GONE as error:
            raise EndpointGoneError(str(error)) from None
        except DecisionError as error:
            common |= {"client_seconds": self.clock() - started, **_sent(error)}
            self._fail(request, common, error)
            self._count_failure(error, patience)
        else:
            self._failures = 0
            common |= {"client_seconds": self.clock() - started, **_sent(attempted)}
            pairs = zip(request, attempted.answers, strict=True)
            self.log.write([self._answered(item, answer, attempted, common) for item, answer in pairs])
        self.told(len(request))

    def not_begun(self, request: Request) -> None:
        """Write that a request was not begun at its time, because too many are outstanding."""
        common = {"started_seconds": self.clock(), "shared": len(request), "client_seconds": 0.0, "attempts": 0}
        self.log.write([Failed(**_of(item), **common, error=NOT_BEGUN, status=None, code="") for item in request])
        self.told(len(request))

    def _fail(self, request: Request, common: dict[str, Any], error: DecisionError) -> None:
        said = {"error": type(error).__name__, "status": error.status, "code": error.code}
        self.log.write([Failed(**_of(item), **common, **said) for item in request])

    def _count_failure(self, error: DecisionError, patience: int) -> None:
        if not isinstance(error, _BROKEN):
            return
        self._failures += 1
        if self._failures >= _FAILURES + patience:
            raise EndpointGoneError(f"{self._failures} failures one after the other, the last: {error}")

    def _answered(self, item: Item, answer: Answer, attempted: Attempted, common: dict[str, Any]) -> Answered:
        choice = chosen(answer, item.task.tie_rule)
        copied = answer.model_dump(include=set(Answered.model_fields) - {"choice"})
        return Answered(
            **_of(item),
            **common,
            **copied,
            choice=choice,
            correct=choice == item.task.gold,
            abstain_option=item.task.abstain_option,
            identity=self.log.identity(answer.model),
            queue_seconds=queue_seconds(answer, attempted.timing),
        )


def chosen(answer: Answer, rule: TieRule) -> str:
    """Return the option that counts as chosen."""
    if rule is TieRule.FIRST_DECLARED:
        return answer.choice
    greatest = max(answer.probabilities)
    scored = zip(answer.option_ids, answer.probabilities, strict=True)
    return min(option for option, probability in scored if probability == greatest)


def queue_seconds(answer: Answer, timing: dict[str, Any] | None) -> float:
    """Return the container's time outside the model; of a shared request, that of the whole request."""
    if timing is None:
        return max(0.0, answer.total_seconds - answer.forward_seconds)
    inside = float(timing.get("prefill_seconds", 0)) + float(timing.get("suffix_forward_seconds", 0))
    return max(0.0, answer.total_seconds - inside)


def _sent(of: Attempted | DecisionError) -> dict[str, Any]:
    return {"attempts": of.attempts, "rejections": of.refusals, "waited_seconds": of.waited_seconds}


def _of(item: Item) -> dict[str, Any]:
    task = item.task
    return {
        "task": task.id,
        "file": task.file,
        "family": task.family,
        "type": task.type,
        "definition": task.definition,
        "phase": item.phase,
        "repeat": item.repeat,
        "rotation": item.rotation,
        "gold": task.gold,
    }
