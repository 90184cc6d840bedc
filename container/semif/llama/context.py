"""One libllama context: sequences, decodes, logits. Owned by exactly one thread.

Every size is checked here before a call, because the library answers a batch or sequence out of
bounds by ending the process.
"""

from ctypes import c_char

import numpy as np
from numpy.typing import NDArray

from semif.engine import DeadlineExceededError, EngineError
from semif.llama.allocation import allocate
from semif.llama.batch import batch_of
from semif.llama.binding import Library
from semif.llama.model import LlamaModel

_ABORTED = 2  # llama_decode's answer when the abort callback said so
_STEP = 256  # the library rounds a sequence's cells up to this


class LlamaContext:
    """A context with `sequences` sequences of at least `tokens` tokens each, cells not shared.

    With shared cells (`kv_unified`) another sequence's presence changes the logits.

    Attributes:
        tokens: Cells of one sequence, those for padding among them.
        sequences: How many there are.
        padding: When a decode is padded.
        can_cut: Whether a part of a sequence can be removed.
    """

    def __init__(self, library: Library, model: LlamaModel, *, tokens: int, sequences: int, threads: int) -> None:
        """Allocates the context, with room for padding.

        Raises:
            StartFailure: The library refuses, or made something else than was asked for.
        """
        self._c = library.c
        self._vocabulary_size = model.vocabulary.size
        self.padding = model.padding
        self.tokens = -(-(tokens + self.padding.most) // _STEP) * _STEP
        self.sequences = sequences
        self.can_cut = model.can_cut
        self._abort = (c_char * 2)()
        self._outputs: list[int] = []
        self.handle = allocate(
            library, model.handle, tokens=self.tokens, sequences=sequences, threads=threads, abort=self._abort
        )
        self._memory: int = self._c.llama_get_memory(self.handle)

    def decode(self, tokens: tuple[int, ...], *, sequence: int, position: int, logits: bool, padding: int = 0) -> None:
        """Adds tokens to a sequence from a position on; the last one leaves logits if asked.

        Rows of padding are added behind it; the sequence must be cut or removed before it is continued.

        Raises:
            DeadlineExceededError: `abort` was called; the sequence must be removed.
            EngineError: The library failed, or a size is out of bounds.
        """
        self._decode([tokens + tokens[-1:] * padding], (sequence,), position, logits=logits, padding=padding)

    def decode_branches(self, branches: list[tuple[int, ...]], *, sequences: tuple[int, ...], position: int) -> None:
        """Adds tokens to several sequences from one position on in one call; the last one of each leaves logits.

        Raises:
            DeadlineExceededError: `abort` was called; the sequences must be removed.
            EngineError: The library failed, or a size is out of bounds.
        """
        self._decode(branches, sequences, position, logits=True)

    def _decode(
        self,
        branches: list[tuple[int, ...]],
        sequences: tuple[int, ...],
        position: int,
        *,
        logits: bool,
        padding: int = 0,
    ) -> None:
        count = sum(map(len, branches))
        for tokens, sequence in zip(branches, sequences, strict=True):
            if not (0 < len(tokens) <= self.tokens - position and 0 <= sequence < self.sequences):
                raise EngineError(f"{len(tokens)} tokens at {position} in sequence {sequence} are out of bounds")
            if not (min(tokens) >= 0 and max(tokens) < self._vocabulary_size):
                raise EngineError("a token id is out of bounds")
        if count > self.tokens:
            raise EngineError(f"{count} tokens in one batch are out of bounds")
        if self._abort[0] != b"\x00":
            raise DeadlineExceededError  # backends other than the CPU's do not poll within a decode
        batch = batch_of(branches, sequences, position, logits=logits, padding=padding)
        self._outputs = [index for index in range(count) if batch.logits[index]] if len(branches) > 1 else [-1]
        code = self._c.llama_decode(self.handle, batch)
        if code == _ABORTED:
            raise DeadlineExceededError
        if code != 0:
            raise EngineError(f"llama_decode answered {code}")

    def logits(self) -> NDArray[np.float32]:
        """A copy of the logits the last `decode` left, shape (vocabulary size,)."""
        (logits,) = self.branch_logits()
        return logits

    def branch_logits(self) -> list[NDArray[np.float32]]:
        """Copies of the logits the last decode left, one of shape (vocabulary size,) for each branch."""
        found = [self._c.llama_get_logits_ith(self.handle, index) for index in self._outputs]
        if not all(found):
            raise EngineError("the decode left no logits")
        return [np.ctypeslib.as_array(values, shape=(self._vocabulary_size,)).copy() for values in found]

    def copy(self, source: int, target: int) -> None:
        """Makes the empty sequence `target` continue from all of `source`."""
        self._c.llama_memory_seq_cp(self._memory, source, target, -1, -1)

    def remove(self, sequence: int) -> None:
        """Removes a whole sequence (hybrid models refuse to remove a part)."""
        if not self._c.llama_memory_seq_rm(self._memory, sequence, -1, -1):
            raise EngineError(f"sequence {sequence} could not be removed")

    def cut(self, sequence: int, position: int) -> None:
        """Removes what a sequence holds from a position on; its cells are the next that are used."""
        if not self._c.llama_memory_seq_rm(self._memory, sequence, position, -1):
            raise EngineError(f"sequence {sequence} could not be cut at {position}")

    def clear(self) -> None:
        """Forgets every sequence and their data; right after an abort nothing else is safe."""
        self._c.llama_memory_clear(self._memory, True)  # noqa: FBT003 - C signature

    def abort(self) -> None:
        """Ends the running decode soon; the one call that is made from another thread."""
        self._abort[0] = b"\x01"

    def rearm(self) -> None:
        """Takes `abort` back before the next operation."""
        self._abort[0] = b"\x00"

    def close(self) -> None:
        """Frees the context."""
        self._c.llama_free(self.handle)
