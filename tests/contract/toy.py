"""An engine and a vocabulary in memory: the HTTP behaviour needs no weights."""

import hashlib
import threading
import time

import numpy as np
from numpy.typing import NDArray

from semif.engine import DeadlineExceededError, Scored, Work

RESERVED = {256: "<|t|>", 257: "<|e|>", 258: "<think>"}
SIZE = 300


class ToyVocabulary:
    """One token per byte, two control tokens, and one user-defined token that is matched even in plain text."""

    def __init__(self, *, adds_bos: bool = False, unsplit: tuple[str, ...] = ()) -> None:
        """`unsplit` are texts that are one ordinary token each."""
        self.size = SIZE
        self.bos_id: int | None = 299 if adds_bos else None
        self.adds_bos = adds_bos
        self._words = {text: 270 + index for index, text in enumerate(unsplit)}

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Greedy from the left."""
        table = dict(self._words) | {"<think>": 258}
        if special:
            table |= {text: id_ for id_, text in RESERVED.items()}
        ids, at = [], 0
        while at < len(text):
            word = next((word for word in table if text.startswith(word, at)), None)
            ids += [table[word]] if word else list(text[at].encode())
            at += len(word or text[at])
        return ids

    def piece(self, token_id: int) -> bytes:
        """A byte, or the name of a special token."""
        words = {id_: text for text, id_ in self._words.items()}
        return bytes([token_id]) if token_id < 256 else (RESERVED | words)[token_id].encode()

    def reserved(self) -> dict[int, str]:
        """The control and user-defined tokens."""
        return RESERVED


class ToyEngine:
    """Logits are a function of the prompt's tokens; keeps what it was asked, can be told to wait or to fail."""

    def __init__(self) -> None:
        """Answers at once until `gate` is cleared."""
        self.works: list[Work] = []
        self.alive = True
        self.aborted = False
        self.forgotten = 0
        self.failure: Exception | None = None
        self.logits: NDArray[np.float32] | None = None
        self.entered = threading.Event()
        self.gate = threading.Event()
        self.gate.set()

    def score(self, work: Work, *, deadline: float | None = None) -> Scored:
        """Scores as told; an abort or the deadline ends the waiting."""
        self.works.append(work)
        self.aborted = False
        self.entered.set()
        passed = self.gate.wait(30 if deadline is None else min(30, max(0, deadline - time.monotonic())))
        if self.aborted or not passed:
            raise DeadlineExceededError
        if self.failure:
            raise self.failure
        made = [_logits((*work.prefix, *suffix)) for suffix in work.suffixes]
        logits = made if self.logits is None else [self.logits] * len(made)
        return Scored(tuple(logits), 0.25, tuple(0.5 for _ in work.suffixes), resident=False, together=(1,) * len(made))

    def forget(self) -> None:
        """Notes that it was told to."""
        self.forgotten += 1

    def pending_tokens(self, work: Work) -> int:
        """Every token, every time."""
        return len(work.prefix) + sum(map(len, work.suffixes))

    def abort(self) -> None:
        """Ends a waiting operation."""
        self.aborted = True
        self.gate.set()


def _logits(tokens: tuple[int, ...]) -> NDArray[np.float32]:
    seed = hashlib.sha256(repr(tokens).encode()).digest()
    values = np.frombuffer((seed * 10)[:SIZE], dtype=np.uint8)
    return values.astype(np.float32) / np.float32(16)
