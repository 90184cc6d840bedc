"""Token ids to the library's batch."""

from ctypes import POINTER, c_int8, c_int32, pointer
from itertools import chain

from semif.llama.prototypes import Batch


def batch_of(
    branches: list[tuple[int, ...]], sequences: tuple[int, ...], position: int, *, logits: bool, padding: int = 0
) -> Batch:
    """One batch of a branch per sequence, all from one position on.

    Args:
        branches: Token ids, as many branches as sequences, none of them empty.
        sequences: The sequence each branch belongs to.
        position: Of each branch's first token.
        logits: Whether the last token of each branch leaves logits.
        padding: How many tokens at the end of each branch are padding and not its last.

    Returns:
        The batch; it keeps the arrays it points to alive.
    """
    count = sum(map(len, branches))
    flags = (c_int8 * count)()
    owners = [c_int32(sequence) for sequence in sequences]
    ids = (POINTER(c_int32) * count)()
    positions: list[int] = []
    for tokens, owner in zip(branches, owners, strict=True):
        start = len(positions)
        positions += range(position, position + len(tokens))
        ids[start : len(positions)] = [pointer(owner)] * len(tokens)
        flags[len(positions) - 1 - padding] = int(logits)
    return Batch(
        n_tokens=count,
        token=(c_int32 * count)(*chain.from_iterable(branches)),
        embd=None,
        pos=(c_int32 * count)(*positions),
        n_seq_id=(c_int32 * count)(*[1] * count),
        seq_id=ids,
        logits=flags,
    )
