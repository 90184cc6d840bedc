"""The lines of a results file: a header, identities, answers, failures. None holds a state, question or description.

A resumed run asks again what failed, so a key may be there twice; its newest line counts.
"""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from decision_client.answer import Logit, Seconds
from decision_client.definition import DefinitionReference, QuestionType
from decision_client.identity import Identity
from decision_client.values import Frozen, Sha256, Share, Text


class TaskFile(Frozen):
    """One file of labelled decisions, by content. `note` is what must be said wherever a figure from it is printed."""

    name: Text
    sha256: Sha256
    rows: int
    note: str = ""


class Run(Frozen):
    """The first line: what was asked of whom. `settings` are the command's options; a resumed run has the same."""

    kind: Literal["run"] = "run"
    schema_version: Literal[1] = 1
    id: Text
    target: Text
    started: Text
    """UTC, ISO 8601."""
    tasks: tuple[TaskFile, ...]
    settings: dict[str, Any]
    decisions: dict[str, int] = Field(default_factory=dict)
    """How many a phase asks in all, so that a run that ended early is known as such."""


class IdentityLine(Frozen):
    """An identity record, before the first answer that carries it."""

    kind: Literal["identity"] = "identity"
    sha256: Sha256
    record: Identity


Key: TypeAlias = tuple[str, str, int, int]
"""What is answered once: phase, task, repeat, rotation."""


class _Asked(Frozen):
    task: Text
    file: str = ""
    """The name of the task file; empty in results that were written before it was kept."""
    family: str
    type: QuestionType
    definition: DefinitionReference | None
    phase: Text
    """Which part of the run: `sequential`, `closed-4` (4 clients), `open-1.5` (1.5 begun per second)."""
    repeat: Annotated[int, Field(ge=0)]
    rotation: Annotated[int, Field(ge=0)]
    """Places by which the options were moved."""
    shared: Annotated[int, Field(ge=1)] = 1
    """Decisions of the one request that this was part of."""
    started_seconds: Seconds
    """Since the run's start, by a clock that only goes forward and stands still while a run is interrupted."""
    late_seconds: Seconds = 0.0
    """Of an open loop: from the time at which the request was to begin to the time at which it did."""
    client_seconds: Seconds
    """From the first attempt to the answer or the last refusal, waits between attempts included."""
    attempts: Annotated[int, Field(ge=0)]
    """How often the request was sent; 0 if the client or the run itself did not send it."""
    rejections: Annotated[int, Field(ge=0)] = 0
    """Attempts that were refused for lack of capacity: 429, 503, throttling."""
    waited_seconds: Seconds = 0.0
    """The part of `client_seconds` that was spent waiting between attempts."""

    @property
    def key(self) -> Key:
        """What is answered once: phase, task, repeat, rotation."""
        return self.phase, self.task, self.repeat, self.rotation


class Answered(_Asked):
    """A valid response. Lists follow `option_ids`, the order sent; `choice` follows the task's rule for ties."""

    kind: Literal["answer"] = "answer"
    gold: Text
    choice: Text
    correct: bool
    abstain_option: Text | None = None
    tie: bool
    option_ids: tuple[Text, ...]
    probabilities: tuple[Share, ...]
    option_logits: tuple[Logit, ...]
    allowed_token_mass: Share
    input_tokens: int
    prompt_sha256: Sha256
    identity: Sha256
    forward_seconds: Seconds
    total_seconds: Seconds
    """The container's: from the end of parsing to the numbers."""
    queue_seconds: Seconds = 0.0
    """The container's, outside the model: cutting the prompt and waiting for its turn."""


class Failed(_Asked):
    """No valid response, which counts as wrong: the client's exception, the status and the container's code.

    `error` is `NotBegun` where an open loop had as many requests outstanding as it may have.
    """

    kind: Literal["failure"] = "failure"
    gold: Text
    error: Text
    status: int | None
    code: str


class ScaleOut(Frozen):
    """What autoscaling did in one phase; seconds since the run's start, None for what did not happen.

    A breach is the first moment at which this run alone kept more on each instance than the scaling's target.
    """

    kind: Literal["scale_out"] = "scale_out"
    phase: Text
    target: Annotated[float, Field(gt=0)]
    instances: Annotated[int, Field(ge=0)]
    """In service at the breach, or at the end if there was none."""
    breached_seconds: Seconds | None = None
    desired_seconds: Seconds | None = None
    """When more instances were asked for."""
    capacity_seconds: Seconds | None = None
    """When more instances were in service."""


Line = Annotated[Run | IdentityLine | Answered | Failed | ScaleOut, Field(discriminator="kind")]
LINE: TypeAdapter[Run | IdentityLine | Answered | Failed | ScaleOut] = TypeAdapter(Line)
