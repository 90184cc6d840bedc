"""Decodes without HTTP around them: the floor of any method, and the logits the container must answer with."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from semif.engine import Work
from semif.llama.context import LlamaContext
from semif.llama.engine import LlamaEngine

Logits = NDArray[np.float32]


def floor(context: LlamaContext, tokens: Sequence[int]) -> Logits:
    """Decodes all tokens as one text and reads the logits after the last: nothing that answers can do less."""
    context.remove(0)
    context.decode(tuple(tokens), sequence=0, position=0, logits=True)
    return context.logits()


class ExpectedAnswers:
    """What the container must answer, to the bit: the product's engine alone in this process, nothing resident."""

    def __init__(self, context: LlamaContext) -> None:
        """Takes a context of two sequences; it is used by one thread only."""
        self._engine = LlamaEngine(context, resident_states=0)

    def logits(self, prefix: tuple[int, ...], suffixes: Sequence[tuple[int, ...]]) -> tuple[Logits, ...]:
        """Full-vocabulary logits of each decision, from one prefill of what they share."""
        return self._engine.score(Work(prefix, tuple(suffixes))).logits
