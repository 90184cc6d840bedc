"""One model, the container serving it, and the reference beside it: what the measured rounds work with."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.agreement import Agreement
from benchmarks.interval import bootstrap, ratios
from benchmarks.loaded_model import LoadedModel, as_decision
from benchmarks.plain_decode import ExpectedAnswers
from benchmarks.reference_method import ReferenceMethod
from benchmarks.rows import Comparison, Figures
from benchmarks.served_model import Answer, ServedModel, served
from benchmarks.stopwatch import Elapsed
from benchmarks.workload import Body
from semif.llama.context import LlamaContext

CPU, WALL = "CPU s", "wall s"


@dataclass(frozen=True, slots=True)
class Trial:
    """What ours, reference and floor run on; all with the same number of threads and kinds of context."""

    loaded: LoadedModel
    ours: ServedModel
    reference: ReferenceMethod
    floor: LlamaContext
    expected: ExpectedAnswers
    agreement: Agreement = field(default_factory=Agreement)

    def tokens(self, decisions: Sequence[Body]) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
        """The shared prefix and the suffix of each decision, as token ids."""
        values = [as_decision(each) for each in decisions]
        tokenizer = self.loaded.tokenizer
        return tokenizer.prefix(values[0]), tuple(tokenizer.suffix(value) for value in values)

    def check(self, decisions: Sequence[Body], *answers: Answer) -> None:
        """Compares answers to the same question with the logits they must have."""
        expected = self.expected.logits(*self.tokens(decisions))
        for answer in answers:
            self.agreement.with_expected(results(answer), expected)


def results(answer: Answer) -> list[Body]:
    """The answered decisions, whatever the request's form."""
    document = answer.document
    return [document["result"]] if "result" in document else list(document["results"])


@contextlib.contextmanager
def trial(
    loaded: LoadedModel, *, threads: int, tokens: int, floor_tokens: int, limits: dict[str, str], log: Path
) -> Iterator[Trial]:
    """Starts the container and makes the contexts beside it; `tokens` bounds one prompt."""
    reference = ReferenceMethod(loaded, tokens=tokens, threads=threads)
    floor = loaded.context(tokens=floor_tokens, sequences=1, threads=threads)
    checked = loaded.context(tokens=tokens, sequences=2, threads=threads)
    try:
        with served(loaded, limits, log) as ours:
            ours.wait_until_healthy()
            yield Trial(loaded, ours, reference, floor, ExpectedAnswers(checked))
    finally:
        reference.close()
        floor.close()
        checked.close()


def medians(series: Sequence[Elapsed], times: float = 1.0) -> Figures:
    """Median CPU and wall seconds, multiplied where one of several equal parts was measured."""
    return {
        CPU: bootstrap([each.cpu_seconds for each in series]).median * times,
        WALL: bootstrap([each.wall_seconds for each in series]).median * times,
    }


def compared(
    against: str, ours: Sequence[Elapsed], others: Sequence[Elapsed], at_most: float
) -> tuple[Comparison, Comparison]:
    """Ours against another series, pair by pair, in CPU and in wall seconds."""
    cpu = ratios([each.cpu_seconds for each in ours], [each.cpu_seconds for each in others])
    wall = ratios([each.wall_seconds for each in ours], [each.wall_seconds for each in others])
    return Comparison(against, CPU, cpu, at_most), Comparison(against, WALL, wall, at_most)
