"""Prompt text to token ids: the template's text may hold control tokens, a caller's text never does.

A prompt is three segments. The template's head up to and including its last control token, and its
tail from its first one on, are tokenised with control tokens recognised; everything between, which
holds the payload, is tokenised as plain text.
"""

import re
from functools import lru_cache

from semif.decision import LETTERS, Decision, Option, RequestError, StartFailure
from semif.engine import Vocabulary
from semif.prompt import Frame, criterion_text, evidence_text
from semif.text_search import any_of

# An application asks few questions about many states: of so many, none of them long, tokens are kept (10 MB at most).
_KNOWN_QUESTIONS = 64
_KNOWN_CHARACTERS = 4096
_PROBE = Decision(
    "probe", 'State: "x", 1.5\n\ttab é 漢 🙂 ', "Which one? ", (Option("a", " first, "), Option("b", "second."))
)


def control_token_pattern(vocabulary: Vocabulary) -> re.Pattern[str] | None:
    """Finds the texts a request must not contain.

    These are the vocabulary's control and user-defined tokens: the latter are matched even in plain
    text. User-defined tokens made of white space alone (some vocabularies have them for runs of
    blanks and line ends) forge nothing and pass.
    """
    return any_of(frozenset(text for text in vocabulary.reserved().values() if text.strip()))


class PromptTokenizer:
    """Tokenises decisions for one model; proven at construction to agree with tokenising whole prompts."""

    def __init__(self, vocabulary: Vocabulary, frame: Frame) -> None:
        """Proves frame and letters.

        Raises:
            StartFailure: The segments do not add up to the whole prompt's tokens, or a letter is not
                one token of its own after this frame's tail.
        """
        self._vocabulary = vocabulary
        self._reserved = {id_ for id_, text in vocabulary.reserved().items() if text.strip()}
        pattern = control_token_pattern(vocabulary)
        last = [match.end() for match in pattern.finditer(frame.head)] if pattern else []
        first = pattern.search(frame.tail) if pattern else None
        cut = last[-1] if last else 0
        start = first.start() if first else len(frame.tail)
        self._head = self._with_bos(vocabulary.tokenize(frame.head[:cut], special=True))
        self._head_text = frame.head[cut:]
        self._tail_text = frame.tail[:start]
        self._tail = tuple(vocabulary.tokenize(frame.tail[start:], special=True))
        self._known = lru_cache(_KNOWN_QUESTIONS)(self._suffix)
        try:
            self._prove_segments(frame)
        except RequestError as error:
            raise StartFailure("the vocabulary has control tokens in a prompt's own punctuation") from error
        self.letter_ids = tuple(self._letter(frame, letter) for letter in LETTERS)
        if len(set(self.letter_ids)) != len(LETTERS):
            raise StartFailure("two answer letters share one token")

    def prefix(self, decision: Decision) -> tuple[int, ...]:
        """The prefix's tokens of a decision; see `prefix_tokens`."""
        return self.prefix_tokens(evidence_text(decision.state))

    def suffix(self, decision: Decision) -> tuple[int, ...]:
        """The suffix's tokens of a decision; see `suffix_tokens`."""
        return self.suffix_tokens(criterion_text(decision.question, decision.options))

    def prefix_tokens(self, evidence: str) -> tuple[int, ...]:
        """Tokens up to the end of the evidence.

        Raises:
            RequestError: The text would become a control token of the model.
        """
        return (*self._head, *self._plain(self._head_text + evidence, "state"))

    def suffix_tokens(self, criterion: str) -> tuple[int, ...]:
        """Tokens from the question to the position where the answer's letter would follow.

        Raises:
            RequestError: The text would become a control token of the model.
        """
        return (self._known if len(criterion) <= _KNOWN_CHARACTERS else self._suffix)(criterion)

    def _suffix(self, criterion: str) -> tuple[int, ...]:
        return (*self._plain(criterion + self._tail_text, "question"), *self._tail)

    def _plain(self, text: str, field: str) -> list[int]:
        ids = self._vocabulary.tokenize(text, special=False)
        if not self._reserved.isdisjoint(ids):  # the request was searched for their texts; trust the tokens alone
            raise RequestError("control_token", f"{field} would become a control token of the model", field)
        return ids

    def _with_bos(self, ids: list[int]) -> tuple[int, ...]:
        bos = self._vocabulary.bos_id
        if self._vocabulary.adds_bos and bos is not None and ids[:1] != [bos]:
            return (bos, *ids)
        return tuple(ids)

    def _prove_segments(self, frame: Frame) -> None:
        payload = evidence_text(_PROBE.state) + criterion_text(_PROBE.question, _PROBE.options)
        whole = self._with_bos(self._vocabulary.tokenize(frame.prompt(payload), special=True))
        if whole != self.prefix(_PROBE) + self.suffix(_PROBE):
            raise StartFailure("this model's vocabulary does not tokenise a prompt's segments as it does the whole")
        bos = self._vocabulary.bos_id
        if self._vocabulary.adds_bos and whole[:2] == (bos, bos):
            raise StartFailure("the chat template and the vocabulary both add a BOS token")

    def _letter(self, frame: Frame, letter: str) -> int:
        before = self._vocabulary.tokenize(frame.tail, special=True)
        after = self._vocabulary.tokenize(frame.tail + letter, special=True)
        if after[:-1] != before or self._vocabulary.piece(after[-1]) != letter.encode():
            raise StartFailure(f"the answer letter {letter} is not one token of its own after the prompt")
        return after[-1]
