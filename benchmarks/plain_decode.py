"""Decodes without a product around them: the floor of any method, and the logits the container must answer with."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from semif.llama.context import LlamaContext

Logits = NDArray[np.float32]


def floor(context: LlamaContext, tokens: Sequence[int]) -> Logits:
    """Decodes all tokens as one text and reads the logits after the last: nothing that answers can do less."""
    context.remove(0)
    context.decode(tuple(tokens), sequence=0, position=0, logits=True)
    return context.logits()


def canonical(
    context: LlamaContext, prefix: tuple[int, ...], suffixes: Sequence[tuple[int, ...]]
) -> tuple[Logits, ...]:
    """Scores prompts by the one cut the product promises, written a second time and without any state kept.

    Args:
        context: With at least two sequences.
        prefix: Tokens up to the end of the evidence; all but its last are decoded alone.
        suffixes: Each is decoded after that last token, in a copy of the prefix.
    """
    cut = len(prefix) - 1
    found = []
    context.clear()
    context.decode(prefix[:cut], sequence=0, position=0, logits=False)
    for suffix in suffixes:
        context.copy(0, 1)
        context.decode((prefix[cut], *suffix), sequence=1, position=cut, logits=True)
        found.append(context.logits())
        context.remove(1)
    return tuple(found)
