"""Many questions about one long state: new, resident, and asked one request after another."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.loaded_model import as_decision
from benchmarks.plain_decode import floor
from benchmarks.rounds import Rounds
from benchmarks.rows import Row
from benchmarks.stopwatch import Elapsed, stopwatch
from benchmarks.trial import Trial, compared, medians, results
from benchmarks.workload import Body, history, questions

NEW_TO_REFERENCE, NEW_TO_FLOOR = 1.00, 1.15
RESIDENT_TO_REFERENCE = 0.40
SINGLES_TO_SHARED = 1.10


@dataclass(frozen=True, slots=True)
class Size:
    """The state's tokens, and how many questions are asked about it."""

    tokens: int
    questions: int


@dataclass(slots=True)
class _Series:
    new: list[Elapsed] = field(default_factory=list)
    resident: list[Elapsed] = field(default_factory=list)
    reference: list[Elapsed] = field(default_factory=list)
    plain: list[Elapsed] = field(default_factory=list)
    prefix_tokens: int = 0


def measure(trial: Trial, size: Size, rounds: Rounds) -> list[Row]:
    """Asks all questions in one request, on a state never seen and again; in turn with the reference and the floor."""
    series = _Series()
    for number in rounds:
        asked = _decisions(trial, size, number)
        prefix, suffixes = trial.tokens(asked)
        answer = trial.ours.ask({"decisions": asked})
        with stopwatch() as elapsed:
            logits = trial.reference.shared([as_decision(each) for each in asked])
        series.new.append(answer.elapsed)
        series.reference.append(elapsed)
        with stopwatch() as elapsed:
            floor(trial.floor, [*prefix, *(token for suffix in suffixes for token in suffix)])
        series.plain.append(elapsed)
        again = trial.ours.ask({"decisions": asked})
        series.resident.append(again.elapsed)
        series.prefix_tokens = len(prefix)
        for result, full in zip(results(answer), logits, strict=True):
            trial.agreement.with_reference(result, full)
        if number == 0:
            trial.check(asked, answer, again)
    return _rows(trial.loaded.file.name, size, series)


def measure_singles(trial: Trial, size: Size, rounds: Rounds) -> Row:
    """Asks the questions in single form on a new state, after a shared request of all on another new one."""
    singles: list[Elapsed] = []
    shared: list[Elapsed] = []
    whole_prompts: list[Elapsed] = []
    for number in rounds:
        shared.append(trial.ours.ask({"decisions": _decisions(trial, size, 10_000 + number)}).elapsed)
        asked = _decisions(trial, size, 20_000 + number)
        answers = [trial.ours.ask({"decision": each}) for each in asked]
        singles.append(_sum([answer.elapsed for answer in answers]))
        with stopwatch() as elapsed:
            trial.reference.single(as_decision(asked[number % size.questions]))
        whole_prompts.append(elapsed)
        if number == 0:
            trial.check(asked[:1], answers[0])
            trial.check(asked[-1:], answers[-1])
    return Row(
        trial.loaded.file.name,
        f"{size.questions} single requests on one state",
        medians(singles),
        medians(whole_prompts, times=size.questions),
        None,
        compared("one shared request", singles, shared, SINGLES_TO_SHARED),
        f"the reference's figure is {size.questions} times one whole prompt, one of which was decoded in each round",
    )


def _decisions(trial: Trial, size: Size, case: int) -> list[Body]:
    return questions(history(case, tokens=size.tokens, count=trial.loaded.count), size.questions)


def _sum(parts: Sequence[Elapsed]) -> Elapsed:
    return Elapsed(sum(part.cpu_seconds for part in parts), sum(part.wall_seconds for part in parts))


def _rows(name: str, size: Size, series: _Series) -> list[Row]:
    reference, plain = medians(series.reference), medians(series.plain)
    return [
        Row(
            name,
            f"{size.questions} questions, new state ({series.prefix_tokens} tokens)",
            medians(series.new),
            reference,
            plain,
            (
                *compared("reference", series.new, series.reference, NEW_TO_REFERENCE),
                *compared("floor", series.new, series.plain, NEW_TO_FLOOR),
            ),
        ),
        Row(
            name,
            f"{size.questions} questions, state resident",
            medians(series.resident),
            reference,
            plain,
            compared("reference", series.resident, series.reference, RESIDENT_TO_REFERENCE),
        ),
    ]
