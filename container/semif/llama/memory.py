"""What a model and its sequences need of memory, from the model's shape, before anything is allocated."""

from dataclasses import dataclass

from semif.decision import StartFailure
from semif.llama.shape import ModelShape

_CACHE_BYTES = 2  # the KV cache's numbers are F16, the library's default
_FLOAT_BYTES = 4
_UBATCH = 512
_PROCESS_BYTES = 256 << 20  # interpreter, wheels, library, request bodies; measured: about 120 MiB
_USABLE = 0.95  # of the limit: the kernel's own pages for the container count too
MOST_BY_DEFAULT = 4  # resident states; the library writes zeros over every one at start


@dataclass(frozen=True, slots=True)
class MemoryNeeds:
    """Bytes, each as it is allocated.

    Attributes:
        weights: The whole file: mapped, or repacked for the CPU.
        per_token: Keys and values of one token, over all attention blocks.
        per_sequence: Recurrent state of one sequence, whatever its length.
        compute: Work space of one decode, an upper bound.
        logits: One row over the vocabulary.
        answers: The rows of all decisions of a request, which are read out when its last one is there.
    """

    weights: int
    per_token: int
    per_sequence: int
    compute: int
    logits: int
    answers: int

    def total(self, *, tokens: int, sequences: int) -> int:
        """Bytes of a context with this many sequences of this many tokens, and of everything around it."""
        each = tokens * self.per_token + self.per_sequence + self.logits
        mask = _UBATCH * tokens * 6  # which cell each token may see, in two precisions
        return self.weights + sequences * each + self.compute + mask + self.answers + _PROCESS_BYTES


def memory_needs(shape: ModelShape, *, weights: int, vocabulary: int, decisions: int) -> MemoryNeeds:
    """What a model of this shape needs.

    Args:
        shape: From its metadata.
        weights: Bytes of the file.
        vocabulary: Number of tokens.
        decisions: Most in one request.
    """
    heads_width = shape.key + shape.value
    feed_forward = shape.feed_forward or 4 * shape.width
    widest = 2 * feed_forward + 8 * shape.width + 3 * shape.heads * heads_width
    return MemoryNeeds(
        weights=weights,
        per_token=shape.attending * shape.kv_heads * heads_width * _CACHE_BYTES,
        per_sequence=shape.recurring * shape.recurrent_state * _FLOAT_BYTES,
        compute=_UBATCH * widest * _FLOAT_BYTES,
        logits=vocabulary * _FLOAT_BYTES,
        answers=decisions * vocabulary * _FLOAT_BYTES,
    )


def fitting_resident_states(needs: MemoryNeeds, *, tokens: int, scratch: int, asked: int | None, limit: int) -> int:
    """How many states stay resident beside `scratch` sequences in `limit` bytes: as asked for, or as fit, up to a few.

    Raises:
        StartFailure: What was asked for, or the least there is, does not fit; both figures are named.
    """

    def fits(states: int) -> bool:
        return needs.total(tokens=tokens, sequences=max(1, states) + scratch) <= limit * _USABLE

    states = next((count for count in range(MOST_BY_DEFAULT, 0, -1) if fits(count)), 1) if asked is None else asked
    if not fits(states):
        total = needs.total(tokens=tokens, sequences=max(1, states) + scratch)
        raise StartFailure(
            f"{max(1, states) + scratch} sequences of {tokens} tokens need about {total >> 20} MiB with the model, "
            f"and the limit is {limit >> 20} MiB: lower SEMIF_RESIDENT_STATES, SEMIF_BRANCHES, SEMIF_MAX_TOKENS or "
            "SEMIF_MAX_SHARED_DECISIONS, or take a larger instance"
        )
    return states
