"""What the decision service needs from an engine; `llama/` is the real one, tests bring their own."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Work:
    """One engine operation: a prefix all suffixes continue, as token ids; none of them is empty."""

    prefix: tuple[int, ...]
    suffixes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """What one operation computed.

    Attributes:
        logits: After each suffix, shape (vocabulary size,).
        prefill_seconds: What reading the prefix took; next to nothing if its state was resident.
        suffix_seconds: What each suffix took; of those decoded together an equal share each.
        resident: Whether an earlier operation had left the prefix's state.
        together: How many suffixes were in each suffix's decode: 1 is the canonical path.
    """

    logits: tuple[NDArray[np.float32], ...]
    prefill_seconds: float
    suffix_seconds: tuple[float, ...]
    resident: bool
    together: tuple[int, ...]


class EngineError(Exception):
    """The engine can no longer be trusted; the process must end."""


class DeadlineExceededError(Exception):
    """The operation was aborted because its time was up; the engine stays usable."""


class Vocabulary(Protocol):
    """The model's tokens. Every call is safe from any thread."""

    size: int
    bos_id: int | None
    adds_bos: bool

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Token ids of a text; control tokens written in it count as such only with `special`."""
        ...

    def piece(self, token_id: int) -> bytes:
        """The bytes a token stands for, control tokens as their name."""
        ...

    def reserved(self) -> dict[int, str]:
        """Control and user-defined tokens by id: their texts are matched as one token."""
        ...


class Engine(Protocol):
    """Scores prompts, one operation at a time."""

    def score(self, work: Work, *, deadline: float | None = None) -> Scored:
        """Runs one operation.

        Args:
            work: Token ids; prefix plus any suffix fits the context.
            deadline: `time.monotonic()` value after which the operation is aborted, or None.

        Raises:
            DeadlineExceededError: The deadline passed; later operations are not affected.
            EngineError: The library failed in a way that leaves nothing to rely on.
        """
        ...

    def abort(self) -> None:
        """Ends the running operation soon, from any thread; it raises `DeadlineExceededError`."""
        ...

    def forget(self) -> None:
        """Takes every resident state away; on the thread that runs operations."""
        ...

    def pending_tokens(self, work: Work) -> int:
        """Tokens the operation would have to decode now, which is fewer if its state is resident; any thread."""
        ...

    @property
    def alive(self) -> bool:
        """Whether the engine can still score; answers at once, whatever is running."""
        ...
