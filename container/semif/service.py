"""From a valid request to results: count tokens, score, read out. Knows no HTTP and no library."""

import hashlib
import time
from dataclasses import dataclass

from semif.decision import (
    CANONICAL,
    FAN_OUT,
    Answered,
    DecisionRequest,
    Readout,
    RequestError,
    Result,
    Thresholds,
    Timing,
)
from semif.engine import Engine, Scored, Work
from semif.prompt import Frame, criterion_text, evidence_text
from semif.scoring import InvalidLogitsError, read_out
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
    prompt_sha256: tuple[str, ...]
    started: float

    @property
    def input_tokens(self) -> int:
        """Tokens of the request: the shared prefix once, and every suffix."""
        return len(self.work.prefix) + sum(map(len, self.work.suffixes))


class DecisionService:
    """Decides requests with one model."""

    def __init__(
        self, frame: Frame, tokenizer: PromptTokenizer, limits: TokenLimits, thresholds: Thresholds | None = None
    ) -> None:
        self._frame = frame
        self._tokenizer = tokenizer
        self._limits = limits
        self._thresholds = thresholds or Thresholds()

    def prepare(self, request: DecisionRequest) -> Prepared:
        """Renders, tokenises and counts a request, its state once; any thread.

        Raises:
            RequestError: A prompt is too long (both counts named), or would hold a control token.
        """
        started = time.perf_counter()
        evidence = evidence_text(request.decisions[0].state)
        prefix = self._tokenizer.prefix_tokens(evidence)
        common = hashlib.sha256((self._frame.head + evidence).encode())
        suffixes, digests = [], []
        limit = self._limits.of_each(len(request.decisions))
        for index, decision in enumerate(request.decisions):
            criterion = criterion_text(decision.question, decision.options)
            suffixes.append(self._tokenizer.suffix_tokens(criterion))
            if (count := len(prefix) + len(suffixes[-1])) > limit:
                where = f"decisions[{index}]" if request.shared else "decision"
                message = f"{where} makes a prompt of {count} tokens; at most {limit} are allowed here"
                raise RequestError("prompt_too_long", message, where)
            whole = common.copy()
            whole.update((criterion + self._frame.tail).encode())
            digests.append(whole.hexdigest())
        return Prepared(request, Work(prefix, tuple(suffixes)), tuple(digests), started)

    def decide(self, prepared: Prepared, engine: Engine, *, deadline: float | None) -> Answered:
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
        try:
            readouts = self._read_out(request, scored)
        except InvalidLogitsError:
            engine.forget()  # a resident state may be what is broken: it must not break the next request too
            raise
        for index, decision in enumerate(request.decisions):
            letter_ids = self._tokenizer.letter_ids[: len(decision.options)]
            forward = scored.suffix_seconds[index] + (0.0 if request.shared else scored.prefill_seconds)
            results.append(
                Result(
                    decision=decision,
                    readout=readouts[index],
                    answer_token_ids=letter_ids,
                    input_tokens=len(work.prefix) + len(work.suffixes[index]),
                    prompt_sha256=prepared.prompt_sha256[index],
                    serving_path=CANONICAL if scored.together[index] == 1 else FAN_OUT,
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
        return Answered(tuple(results), timing, scored.resident)

    def _read_out(self, request: DecisionRequest, scored: Scored) -> list[Readout]:
        letter_ids = self._tokenizer.letter_ids
        return [
            read_out(logits, letter_ids[: len(decision.options)], self._thresholds)
            for logits, decision in zip(scored.logits, request.decisions, strict=True)
        ]
