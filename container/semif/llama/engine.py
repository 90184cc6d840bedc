"""The engine on libllama: one canonical way to cut and decode, whatever form the request had."""

import threading
import time

from semif.engine import DeadlineExceededError, EngineError, Scored, Work
from semif.llama.context import LlamaContext

_PREFIX, _SCRATCH = 0, 1


class LlamaEngine:
    """Scores prompts on one context.

    How a prompt is cut into decodes changes the logits of quantized models, so every form is cut
    alike: the prefix without its last token into one sequence, then for each suffix that token and
    the suffix into a copy of it.
    """

    def __init__(self, context: LlamaContext) -> None:
        self._context = context
        self._alive = True
        self._owner: int | None = None

    @property
    def alive(self) -> bool:
        """Whether no operation has broken the engine so far."""
        return self._alive

    def abort(self) -> None:
        """Ends the running operation soon, from any thread."""
        self._context.abort()

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
        if deadline is not None and deadline <= time.monotonic():
            raise DeadlineExceededError
        self._context.rearm()
        watchdog = None if deadline is None else threading.Timer(deadline - time.monotonic(), self._context.abort)
        if watchdog:
            watchdog.daemon = True
            watchdog.start()
        try:
            return self._score(work)
        except DeadlineExceededError:
            self._context.clear()
            raise
        except EngineError:
            self._alive = False
            raise
        finally:
            if watchdog:
                watchdog.cancel()

    def _score(self, work: Work) -> Scored:
        context = self._context
        cut = len(work.prefix) - 1
        started = time.perf_counter()
        if cut > 0:
            context.decode(work.prefix[:cut], sequence=_PREFIX, position=0, logits=False)
        prefilled = time.perf_counter()
        logits, seconds = [], []
        for suffix in work.suffixes:
            begun = time.perf_counter()
            if cut > 0:
                context.copy(_PREFIX, _SCRATCH)
            context.decode((*work.prefix[cut:], *suffix), sequence=_SCRATCH, position=cut, logits=True)
            logits.append(context.logits())
            context.remove(_SCRATCH)
            seconds.append(time.perf_counter() - begun)
        context.remove(_PREFIX)
        return Scored(tuple(logits), prefilled - started, tuple(seconds))
