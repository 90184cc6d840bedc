"""From a valid request to results: count tokens, score, read out. Knows no HTTP and no library."""

import hashlib
import time
from dataclasses import dataclass

from semif.decision import DecisionRequest, RequestError, Result, Timing
from semif.engine import Engine, Work
from semif.prompt import Frame, criterion_text, evidence_text
from semif.scoring import read_out
from semif.tokens import PromptTokenizer


@dataclass(frozen=True, slots=True)
class TokenLimits:
    """Longest prompt of one decision, and the budget all decisions of a request share, in tokens."""

    per_decision: int
    per_request: int

    def of_each(self, decisions: int) -> int:
        """Longest prompt when a request holds this many decisions."""
        return min(self.per_decision, self.per_request // decisions)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request in tokens, counted and within its limits; `started` is a `time.perf_counter()`."""

    request: DecisionRequest
    work: Work
    started: float

    @property
    def input_tokens(self) -> int:
        """Tokens to decode: the shared prefix once, and every suffix."""
        return len(self.work.prefix) + sum(map(len, self.work.suffixes))


class DecisionService:
    """Decides requests with one model."""

    def __init__(self, frame: Frame, tokenizer: PromptTokenizer, limits: TokenLimits) -> None:
        self._frame = frame
        self._tokenizer = tokenizer
        self._limits = limits

    def prepare(self, request: DecisionRequest) -> Prepared:
        """Tokenises a request and counts; any thread.

        Raises:
            RequestError: A prompt is too long (both counts named), or would hold a control token.
        """
        started = time.perf_counter()
        prefix = self._tokenizer.prefix(request.decisions[0])
        suffixes = tuple(self._tokenizer.suffix(decision) for decision in request.decisions)
        limit = self._limits.of_each(len(suffixes))
        for index, suffix in enumerate(suffixes):
            if (count := len(prefix) + len(suffix)) > limit:
                where = f"decisions[{index}]" if request.shared else "decision"
                message = f"{where} makes a prompt of {count} tokens; at most {limit} are allowed here"
                raise RequestError("prompt_too_long", message, where)
        return Prepared(request, Work(prefix, suffixes), started)

    def decide(
        self, prepared: Prepared, engine: Engine, *, deadline: float | None
    ) -> tuple[tuple[Result, ...], Timing]:
        """Scores a prepared request on the engine's thread.

        Raises:
            InvalidLogitsError: The model produced a number that is not finite.
            DeadlineExceededError: The deadline passed first.
            EngineError: The engine is broken.
        """
        request, work = prepared.request, prepared.work
        scored = engine.score(work, deadline=deadline)
        results = []
        elapsed = time.perf_counter() - prepared.started
        for index, decision in enumerate(request.decisions):
            letter_ids = self._tokenizer.letter_ids[: len(decision.options)]
            payload = evidence_text(decision.state) + criterion_text(decision.question, decision.options)
            forward = scored.suffix_seconds[index] + (0.0 if request.shared else scored.prefill_seconds)
            results.append(
                Result(
                    decision=decision,
                    readout=read_out(scored.logits[index], letter_ids),
                    answer_token_ids=letter_ids,
                    input_tokens=len(work.prefix) + len(work.suffixes[index]),
                    prompt_sha256=hashlib.sha256(self._frame.prompt(payload).encode()).hexdigest(),
                    forward_seconds=forward,
                    total_seconds=elapsed,
                )
            )
        timing = Timing(
            batch_size=len(results),
            prefix_tokens=len(work.prefix),
            prefill_seconds=scored.prefill_seconds,
            suffix_forward_seconds=sum(scored.suffix_seconds),
            total_seconds=time.perf_counter() - prepared.started,
            max_request_tokens=self._limits.per_request,
            max_tokens_per_decision=self._limits.of_each(len(results)),
        )
        return tuple(results), timing
