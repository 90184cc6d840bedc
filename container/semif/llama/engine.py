"""The engine on libllama: one canonical way to cut and decode, whatever form the request had."""

import threading
import time

import numpy as np
from numpy.typing import NDArray

from semif.engine import DeadlineExceededError, EngineError, Scored, Work
from semif.llama.context import LlamaContext
from semif.llama.resident import ResidentStates
from semif.llama.sequences import decoded_together, sequences_for
from semif.llama.watchdog import Watchdog


class LlamaEngine:
    """Scores prompts on one context.

    How a prompt is cut into decodes changes the logits of quantized models, so every form is cut
    alike: the prefix into one sequence, then each suffix behind it, padded where the model's padding
    says so. The prefix's sequence stays, so a later request about the same state starts there; its
    logits are the same bits, because its cells are.

    Where a sequence can be cut, a suffix is decoded in place and removed again. Elsewhere it goes
    into a copy, which the library makes of all cells, used or not: tens of milliseconds each.
    """

    def __init__(self, context: LlamaContext, *, resident_states: int | None = None, branches: int = 1) -> None:
        """Divides the context's sequences.

        Args:
            context: At least as many sequences as `sequences_for` says.
            resident_states: States kept between requests; 0 for none, None for every sequence left.
            branches: Suffixes decoded together. More than 1 makes logits depend on their company.
        """
        scratch = sequences_for(0, branches=branches, can_cut=context.can_cut) - 1
        places = context.sequences - scratch
        if resident_states is not None:
            places = max(1, min(places, resident_states))  # the running request's own state needs one in any case
        self._context = context
        self._states = ResidentStates(places)
        self._keep = resident_states != 0
        self._scratch = tuple(range(places, places + scratch))
        self._together = branches
        self._watchdog = Watchdog(context.abort)
        self._alive = True
        self._owner: int | None = None

    @property
    def alive(self) -> bool:
        """Whether no operation has broken the engine so far."""
        return self._alive

    def abort(self) -> None:
        """Ends the running operation soon, from any thread."""
        self._context.abort()

    def pending_tokens(self, work: Work) -> int:
        """Tokens that would have to be decoded if the operation ran now; any thread."""
        prefix = 0 if work.prefix in self._states else len(work.prefix)
        return prefix + sum(map(len, work.suffixes))

    def score(self, work: Work, *, deadline: float | None = None) -> Scored:
        """Runs one operation on the thread that ran the first one.

        Raises:
            DeadlineExceededError: `deadline` (of `time.monotonic()`) passed; the engine is usable.
            EngineError: The library failed, or another thread called; the engine is not usable.
        """
        if self._owner is None:
            self._owner = threading.get_ident()
        if self._owner != threading.get_ident():
            raise EngineError("the context belongs to another thread")
        if not self._alive:
            raise EngineError("an earlier operation broke the engine")  # who waited behind it must not be answered
        if deadline is not None and deadline <= time.monotonic():
            raise DeadlineExceededError
        self._context.rearm()
        try:
            with self._watchdog.watch(deadline):
                return self._score(work)
        except EngineError:
            self._alive = False
            raise
        except BaseException:
            # An abort may leave a hybrid's recurrent states half moved, those of other sequences too.
            self.forget()
            raise

    def forget(self) -> None:
        """Takes every resident state away, on the thread that runs operations."""
        self._states.clear()
        self._context.clear()

    def _score(self, work: Work) -> Scored:
        started = time.perf_counter()
        state = work.prefix
        sequence = self._states.find(state)
        resident = sequence is not None
        if sequence is None:
            sequence = self._states.claim()
            self._context.remove(sequence)
            if state:
                self._context.decode(state, sequence=sequence, position=0, logits=False)
            self._states.hold(state, sequence)
        prefilled = time.perf_counter()
        logits: list[NDArray[np.float32]] = []
        seconds: list[float] = []
        together: list[int] = []
        for group in decoded_together(work.suffixes, most=self._together, tokens=self._context.tokens):
            begun = time.perf_counter()
            logits += self._branch(sequence, len(state), group)
            seconds += [(time.perf_counter() - begun) / len(group)] * len(group)
            together += [len(group)] * len(group)
        if not self._keep:
            self._states.release(state)
            self._context.remove(sequence)
        return Scored(tuple(logits), prefilled - started, tuple(seconds), resident, tuple(together))

    def _branch(self, source: int, position: int, suffixes: list[tuple[int, ...]]) -> list[NDArray[np.float32]]:
        in_place = len(suffixes) == 1 and self._context.can_cut
        used = (source,) if in_place else self._scratch[: len(suffixes)]
        for target in () if in_place or not position else used:
            self._context.copy(source, target)
        if len(suffixes) == 1:
            padding = self._context.padding.rows(len(suffixes[0]), position)
            self._context.decode(suffixes[0], sequence=used[0], position=position, logits=True, padding=padding)
        else:
            self._context.decode_branches(suffixes, sequences=used, position=position)
        logits = self._context.branch_logits()
        if in_place:
            self._context.cut(source, position)
        else:
            for target in used:
                self._context.remove(target)
        return logits
