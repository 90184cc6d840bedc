"""The values a decision is made of: frozen, and valid by the time they exist."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

JsonValue = None | bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"]

PROMPT_VERSION = "direct-options-v1"
READOUT = "quantized last-position logits restricted to declared answer slots; no generated tokens"
PROBABILITY_STATUS = "conditional on the declared options and uncalibrated; not an authorization"
LETTERS = "ABCDEFGHIJKLMNOP"
CANONICAL, FAN_OUT = "canonical", "fan-out"  # serving paths


@dataclass(frozen=True, slots=True)
class Option:
    """One declared answer; its position in the decision gives it its letter."""

    id: str
    description: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One question about one state, with two to sixteen options in declared order."""

    id: str
    state: JsonValue
    question: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class DecisionRequest:
    """What one call asks: one decision (`shared` is false) or several about one state."""

    decisions: tuple[Decision, ...]
    shared: bool


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What an answer is flagged below: its token mass, and the distance of its two highest probabilities; 0 to 1."""

    token_mass: float = 0.0
    margin: float = 0.0


@dataclass(frozen=True, slots=True)
class Readout:
    """What the logits say about the options of one decision, in declared order.

    Attributes:
        option_logits: Raw logit of each option's letter at the prompt's last position.
        probabilities: Softmax over `option_logits` in float64.
        allowed_token_mass: Share, 0 to 1, of the full vocabulary's probability on the letters.
        full_vocab_argmax_id: Most likely token of the whole vocabulary.
        choice: Index of the most likely option; the first declared one of an exact tie.
        tie: Whether another option has exactly the same logit as the chosen one.
        low_mass: Whether `allowed_token_mass` is below the container's threshold.
        low_margin: Whether the two most likely options are closer than the container's threshold.
    """

    option_logits: tuple[float, ...]
    probabilities: tuple[float, ...]
    allowed_token_mass: float
    full_vocab_argmax_id: int
    choice: int
    tie: bool
    low_mass: bool
    low_margin: bool


@dataclass(frozen=True, slots=True)
class Result:
    """One answered decision with what was measured on the way (tokens, seconds).

    `serving_path` is `canonical`, or `fan-out` if the decode held other decisions' questions too.
    """

    decision: Decision
    readout: Readout
    answer_token_ids: tuple[int, ...]
    input_tokens: int
    prompt_sha256: str
    serving_path: str
    forward_seconds: float
    total_seconds: float


@dataclass(frozen=True, slots=True)
class Timing:
    """What a shared request measured: sizes in tokens, durations in seconds."""

    batch_size: int
    prefix_tokens: int
    prefill_seconds: float
    suffix_forward_seconds: float
    total_seconds: float
    max_request_tokens: int
    max_tokens_per_decision: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A request's results, and whether its state was resident from an earlier one."""

    results: tuple[Result, ...]
    timing: Timing
    resident: bool


class RequestError(Exception):
    """A request that is refused: a code for programs, a sentence for people, the field it is about."""

    def __init__(self, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field


class StartFailure(Exception):  # noqa: N818 - it is not an error of a request but the end of a start
    """The container must not become healthy; the message is the one sentence that says why."""
