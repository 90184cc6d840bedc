"""The reference method, from its description: whole prompts, a saved state per question, one tokenising per option.

- A single decision: its whole prompt is decoded on an empty context.
- Decisions that share a state: what their prompts have in common is decoded once and the sequence's state saved;
  each question restores it and decodes the rest.
- A prompt is tokenised once for each of its options, to see that the option's letter stays a token of its own.
"""

import itertools
from collections.abc import Sequence
from ctypes import c_int32, c_size_t, c_uint8, c_void_p

from benchmarks.loaded_model import LoadedModel, library
from benchmarks.plain_decode import Logits
from semif.decision import LETTERS, Decision
from semif.llama.context import LlamaContext
from semif.scoring import read_out


class ReferenceMethod:
    """Answers decisions as the reference does, on a context of its own with one sequence."""

    def __init__(self, loaded: LoadedModel, *, tokens: int, threads: int) -> None:
        self._loaded = loaded
        self._context = loaded.context(tokens=tokens, sequences=1, threads=threads)
        self._state = _SequenceState(self._context)

    def single(self, decision: Decision) -> Logits:
        """Logits after the whole prompt, decoded in one piece."""
        tokens = self._tokens(decision)
        self._context.clear()
        self._context.decode(tokens, sequence=0, position=0, logits=True)
        return self._read(decision)

    def shared(self, decisions: Sequence[Decision]) -> tuple[Logits, ...]:
        """Logits of each decision, from one prefill and one restored state per question."""
        prompts = [self._tokens(decision) for decision in decisions]
        cut = common_prefix(prompts)
        self._context.clear()
        self._context.decode(prompts[0][:cut], sequence=0, position=0, logits=False)
        self._state.save()
        found = []
        for decision, prompt in zip(decisions, prompts, strict=True):
            self._context.clear()
            self._state.restore()
            self._context.decode(prompt[cut:], sequence=0, position=cut, logits=True)
            found.append(self._read(decision))
        return tuple(found)

    def close(self) -> None:
        """Frees the context."""
        self._context.close()

    def _tokens(self, decision: Decision) -> tuple[int, ...]:
        prompt, vocabulary = self._loaded.prompt(decision), self._loaded.model.vocabulary
        letters = LETTERS[: len(decision.options)]
        found = {tuple(vocabulary.tokenize(prompt + letter, special=True)[:-1]) for letter in letters}
        if len(found) != 1:
            raise ValueError("a letter does not stay a token of its own after this prompt")
        tokens, bos = found.pop(), vocabulary.bos_id
        return (bos, *tokens) if vocabulary.adds_bos and bos is not None and tokens[:1] != (bos,) else tokens

    def _read(self, decision: Decision) -> Logits:
        logits = self._context.logits()
        read_out(logits, self._loaded.tokenizer.letter_ids[: len(decision.options)])
        return logits


def common_prefix(prompts: Sequence[Sequence[int]]) -> int:
    """How many leading tokens all prompts share, at least one token of each left over."""
    columns = zip(*prompts, strict=False)
    same = sum(1 for _ in itertools.takewhile(lambda column: len(set(column)) == 1, columns))
    return min(same, min(map(len, prompts)) - 1)


class _SequenceState:
    """The saved state of sequence 0; the product itself copies sequences and needs none of these functions."""

    def __init__(self, context: LlamaContext) -> None:
        self._c, self._handle = library().c, context.handle
        self._buffer = (c_uint8 * 0)()
        for name, arguments in (
            ("llama_state_seq_get_size", [c_void_p, c_int32]),
            ("llama_state_seq_get_data", [c_void_p, c_void_p, c_size_t, c_int32]),
            ("llama_state_seq_set_data", [c_void_p, c_void_p, c_size_t, c_int32]),
        ):
            function = getattr(self._c, name)
            function.argtypes, function.restype = arguments, c_size_t

    def save(self) -> None:
        """Copies the state out of the library."""
        size = self._c.llama_state_seq_get_size(self._handle, 0)
        self._buffer = (c_uint8 * size)()
        if self._c.llama_state_seq_get_data(self._handle, self._buffer, size, 0) != size:
            raise RuntimeError("the state was not saved")

    def restore(self) -> None:
        """Copies it back into the empty sequence."""
        size = len(self._buffer)
        if self._c.llama_state_seq_set_data(self._handle, self._buffer, size, 0) != size:
            raise RuntimeError("the state was not restored")
