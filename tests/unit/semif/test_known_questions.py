"""Questions that are asked again and again are not tokenised again."""

import pytest

from semif.decision import RequestError
from semif.prompt import criterion_text
from semif.tokens import PromptTokenizer
from tests.contract.toy import ToyVocabulary
from tests.unit.semif.test_tokens import FRAME, OPTIONS


class _Counting(ToyVocabulary):
    """A toy vocabulary that knows how often it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        self.asked += 1
        return super().tokenize(text, special=special)


def test_question_that_was_asked_before_is_not_tokenised_again() -> None:
    """A definition is asked about many states: its tokens are the same, and are known."""
    vocabulary = _Counting()
    tokenizer = PromptTokenizer(vocabulary, FRAME)
    criterion = criterion_text("Does it?", OPTIONS)
    first, before = tokenizer.suffix_tokens(criterion), vocabulary.asked

    assert (tokenizer.suffix_tokens(criterion), vocabulary.asked) == (first, before)


def test_long_question_is_not_kept() -> None:
    """What is kept is bounded: a long question is tokenised each time."""
    vocabulary = _Counting()
    tokenizer = PromptTokenizer(vocabulary, FRAME)
    criterion = criterion_text("?" * 4096, OPTIONS)
    first, before = tokenizer.suffix_tokens(criterion), vocabulary.asked

    assert (tokenizer.suffix_tokens(criterion), vocabulary.asked) == (first, before + 1)


def test_refused_question_is_refused_again() -> None:
    """A refusal is not something to remember: the question is looked at again, and refused again."""
    tokenizer = PromptTokenizer(ToyVocabulary(), FRAME)
    for _ in range(2):
        with pytest.raises(RequestError):
            tokenizer.suffix_tokens(criterion_text("a <think> b", OPTIONS))
