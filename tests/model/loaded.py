"""A model with everything around it that a decision needs, in this process."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semif.decision import Decision, Option
from semif.engine import Work
from semif.llama.binding import Library
from semif.llama.context import LlamaContext
from semif.llama.engine import LlamaEngine
from semif.llama.model import LlamaModel, LlamaVocabulary
from semif.prompt import Frame, prove_template
from semif.tokens import PromptTokenizer


@dataclass(frozen=True)
class Loaded:
    """One loaded model."""

    vocabulary: LlamaVocabulary
    frame: Frame
    tokenizer: PromptTokenizer
    engine: LlamaEngine
    tokens: int

    @classmethod
    @contextmanager
    def open(
        cls, library: Library, path: Path, *, tokens: int, resident_states: int = 1, branches: int = 1
    ) -> Iterator["Loaded"]:
        """Loads a model with room for prompts of `tokens` tokens and for the states of earlier requests.

        One thread: more would wait for each other on a machine that does other work too.
        """
        model = LlamaModel(library, path, n_gpu_layers=0)
        frame = prove_template(model.chat_template(), bos_token="", eos_token="")
        context = LlamaContext(library, model, tokens=tokens, sequences=max(1, resident_states) + branches, threads=1)
        engine = LlamaEngine(context, resident_states=resident_states, branches=branches)
        yield cls(model.vocabulary, frame, PromptTokenizer(model.vocabulary, frame), engine, tokens)
        context.close()
        model.close()

    def work(self, decisions: Sequence[Decision]) -> Work:
        """The tokens of decisions that share a state."""
        suffixes = tuple(self.tokenizer.suffix(decision) for decision in decisions)
        return Work(self.tokenizer.prefix(decisions[0]), suffixes)

    def logits(self, *decisions: Decision) -> list[NDArray[np.float32]]:
        """Full-vocabulary logits of decisions that share a state, in one request."""
        return list(self.engine.score(self.work(decisions)).logits)


def decision(state: Any, question: str, options: int = 3) -> Decision:
    """A decision about a state."""
    return Decision("d", state, question, tuple(Option(str(n), f"Answer number {n}.") for n in range(options)))
