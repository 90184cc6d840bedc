"""A model in this process, read by the product's own binding: for reference, floor and expected answers."""

import hashlib
import json
from dataclasses import dataclass
from functools import cache

from benchmarks.checkout import LLAMA_LIBRARIES
from benchmarks.models import ModelFile
from benchmarks.workload import Body
from semif.decision import Decision, Option
from semif.golden import SUPPORT_ROUTE
from semif.llama.binding import Library
from semif.llama.context import LlamaContext
from semif.llama.model import LlamaModel
from semif.prompt import Frame, criterion_text, evidence_text, prove_template
from semif.tokens import PromptTokenizer


@cache
def library() -> Library:
    """The one libllama of this process."""
    return Library(LLAMA_LIBRARIES)


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """Weights, the frame its template makes, and its tokenizer."""

    file: ModelFile
    model: LlamaModel
    frame: Frame
    tokenizer: PromptTokenizer

    def context(self, *, tokens: int, sequences: int, threads: int) -> LlamaContext:
        """A context as the container makes it: flash attention, micro-batches and cells alike for all."""
        return LlamaContext(library(), self.model, tokens=tokens, sequences=sequences, threads=threads)

    def prompt(self, decision: Decision) -> str:
        """The whole rendered prompt."""
        return self.frame.prompt(evidence_text(decision.state) + criterion_text(decision.question, decision.options))

    def known_prompt_sha256(self) -> str:
        """What the container's start must find for this model."""
        return hashlib.sha256(self.prompt(SUPPORT_ROUTE).encode()).hexdigest()

    def count(self, text: str) -> int:
        """Tokens of a plain text."""
        return len(self.model.vocabulary.tokenize(text, special=False))


def load(file: ModelFile) -> LoadedModel:
    """Loads a model, entirely on the CPU."""
    model = LlamaModel(library(), file.path, n_gpu_layers=0)
    vocabulary = model.vocabulary
    bos, eos = vocabulary.special_text("bos"), vocabulary.special_text("eos")
    frame = prove_template(model.chat_template(), bos_token=bos, eos_token=eos)
    return LoadedModel(file, model, frame, PromptTokenizer(vocabulary, frame))


def as_decision(body: Body) -> Decision:
    """A decision of the wire as the container's value; through JSON, as it would arrive."""
    plain = json.loads(json.dumps(body))
    options = tuple(Option(option["id"], option["description"]) for option in plain["options"])
    return Decision(plain["id"], plain["state"], plain["question"], options)
