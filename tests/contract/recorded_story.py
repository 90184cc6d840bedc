"""One decision from an application that keeps records to the container, and what each side counts of it."""

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from decision_client.answer import Answer
from decision_client.audit.keyed_hash import LocalKey
from decision_client.audit.recording import Audit
from decision_client.audit.tally import review
from decision_client.audit.trail import read_trail
from decision_client.audit.trail_file import TrailFile
from decision_client.client import DecisionClient
from decision_client.definition import DecisionDefinition, Option
from decision_client.errors import DecisionError, NoAnswerError, NotAllowedError, NotConnectedError
from decision_client.policy import Binding, DecisionPolicy, Thresholds
from decision_client.transport import Reply
from tests.contract.application import Served, decision
from tests.contract.test_load import inside
from tests.contract.toy import SIZE

if TYPE_CHECKING:
    from collections.abc import Callable

DEFINITION: Final = DecisionDefinition(
    name="holds",
    version="1",
    question="Does it hold?",
    options=(
        Option(id="yes", description="It does."),
        Option(id="no", description="It does not."),
        Option(id="none", description="Neither."),
    ),
    abstain_option="none",
)
# What every answer has, and metrics that measure and count no kind of outcome.
_ALWAYS: Final = {"asked", "answered", "attempts", "override_rate"}
_MEASURES: Final = {"InputTokens", "QueueTime", "ForwardTime", "CacheHits"}


class Story:
    """A container, and the transport of an application whose policy acts upon most answers."""

    def __init__(self, folder: Path, **served: Any) -> None:
        self.policies = [_policy()]
        self.served = Served(**served)
        self.trail = folder / "audit.jsonl"
        self.way: Callable[[bytes], Reply] = self._asked
        self.says(20.0)

    def says(self, *options: float, otherwise: float = 0.0) -> None:
        """Let the model have these logits for the options' letters, and one for a token that is none of them."""
        self.served.engine.logits = _logits(options, otherwise)

    def decide(self, state: object = "A short state.") -> "Story":
        """Ask once; what comes of it is in the records."""
        audit = Audit(TrailFile(self.trail), LocalKey("test", bytes(32)))
        # Shorter than any wait between attempts: each story is one attempt.
        client = DecisionClient(self, policies=self.policies, deadline_seconds=0.5, on_decision=audit)
        with suppress(DecisionError):
            client.decide(DEFINITION, state, decision_id="case-1")
        return self

    def send(self, body: bytes, timeout_seconds: float) -> Reply:
        """Send as the client's transports do."""
        assert timeout_seconds > 0
        return self.way(body)

    def recorded(self) -> set[str]:
        """The kinds that the client's records count."""
        counted = review(read_trail([self.trail])).total.model_dump()
        return {kind for kind, count in counted.items() if count} - _ALWAYS

    def measured(self) -> set[str]:
        """The metrics of the container's log that are not 0."""
        directives = [line["_aws"]["CloudWatchMetrics"][0] | {"line": line} for line in self.served.lines()]
        counted = {(each["Name"], one["line"][each["Name"]]) for one in directives for each in one["Metrics"]}
        return {name for name, value in counted if value} - _MEASURES

    def gives_up(self, body: bytes) -> Reply:
        """Leave while the container is still working, as a client does whose time is over."""

        async def leave() -> None:
            left = asyncio.Event()
            running = asyncio.create_task(self.served.call(json.loads(body), left))
            await inside(self.served, 1)
            left.set()
            await running

        self.served.engine.gate.clear()
        asyncio.run(leave())
        raise NoAnswerError("nothing came")

    def _asked(self, body: bytes) -> Reply:
        response = self.served.post(body)
        return Reply(response.status_code, response.content)


def nobody_listens(_body: bytes) -> Reply:
    """Find no endpoint."""
    raise NotConnectedError("nothing listens there")


def no_credentials(_body: bytes) -> Reply:
    """Have no leave to ask."""
    raise NotAllowedError("there are no credentials", attempts=0)


def _logits(options: tuple[float, ...], otherwise: float) -> Any:
    logits = np.zeros(SIZE, dtype=np.float32)
    logits[ord("A") : ord("A") + len(options)] = options
    logits[ord("z")] = otherwise
    return logits


def _policy() -> DecisionPolicy:
    """A policy that covers what the toy container answers."""
    served = Served()
    served.engine.logits = _logits((20.0,), 0.0)
    options = [option.model_dump() for option in DEFINITION.options]
    result = served.post({"decision": decision(options=options)}).json()["result"]
    answer = Answer.model_validate(result)
    return DecisionPolicy(
        version="1",
        definition=DEFINITION.reference,
        binding=Binding.of(answer.model),
        runtimes=(answer.model.runtime,),
        temperature=1.0,
        thresholds=Thresholds(target_risk=0.1, confidence=0.95, act=0.5, min_mass=0.5, min_margin=0.1),
        evidence={},
    )
