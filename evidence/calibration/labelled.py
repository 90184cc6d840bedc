"""Labelled decisions, wherever they come from: a run's results here, an audit trail with corrections in `trail`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from decision_client.definition import QuestionType
from decision_client.identity import Identity, Runtime
from decision_client.policy import Binding
from evidence.calibration.errors import CalibrationError
from evidence.calibration.order import OrderSensitivity, order_by_type
from evidence.calibration.sample import Missed, Scored, once, scored
from evidence.records import Answered, Failed, TaskFile
from evidence.results import Results


@dataclass(frozen=True, slots=True)
class Labelled:
    """Labelled decisions as calibration and its check count them.

    Attributes:
        name: The run or the trail.
        started: UTC, ISO 8601.
        files: Where the labels are from, and what must be said of them.
        binding: The one model, image and library that all answers are of.
        answers: Each task once.
        missed: Tasks that should have an answer and have none.
        runtimes: The answers of each runtime, each task once for each that answered it.
        orders: What the order of the options does, for each type that was asked in several.
        remarks: What has to be said with every figure, beside the notes of the files.
        begins: Of a trail, which grows: when its first decision was asked, as `started` says of the last.
    """

    name: str
    started: str
    files: tuple[TaskFile, ...]
    binding: Binding
    answers: tuple[Scored, ...]
    missed: tuple[Missed, ...]
    runtimes: dict[Runtime, tuple[Scored, ...]]
    orders: dict[QuestionType, OrderSensitivity]
    remarks: tuple[str, ...] = ()
    begins: str = ""

    @property
    def said(self) -> tuple[str, ...]:
        """Everything that has to be said with a figure."""
        return (*(f"{file.name}: {file.note}" for file in self.files if file.note), *self.remarks)


def of_results(results: Results) -> Labelled:
    """Return the labelled decisions of a run.

    Raises:
        CalibrationError: There is no answer, or no one policy could name what answered.
        ResultsError: A label is none of the options.
    """
    lines: list[Answered | Failed] = [*results.answers, *results.failures]
    counted = once(lines)
    of_runtime: dict[Runtime, list[Answered]] = defaultdict(list)
    for line in results.answers:
        of_runtime[results.identities[line.identity].runtime].append(line)
    return Labelled(
        name=results.run.id,
        started=results.run.started,
        files=results.run.tasks,
        binding=one_binding(results.identities[digest] for digest in {line.identity for line in results.answers}),
        answers=tuple(scored(line) for line in counted if isinstance(line, Answered)),
        missed=tuple(Missed(line.task, line.type, line.definition) for line in counted if isinstance(line, Failed)),
        runtimes=sorted_runtimes({where: [scored(line) for line in once(mine)] for where, mine in of_runtime.items()}),
        orders=order_by_type(results.answers),
        remarks=tuple(_remarks(results, [line for line in counted if isinstance(line, Answered)])),
    )


def _remarks(results: Results, answers: Sequence[Answered]) -> Iterator[str]:
    left = sum(results.run.decisions.values()) - len(results.answers) - len(results.failures)
    if left > 0:
        yield f"unfinished: {left} decisions of the run were not asked"
    texts = len({line.prompt_sha256 for line in answers})
    if texts < len(answers):
        yield f"{len(answers)} tasks have {texts} texts: one that comes again counts, and is no further evidence"


def one_binding(identities: Iterable[Identity]) -> Binding:
    """Return the binding that all identity records have.

    Raises:
        CalibrationError: There is none, or more than one.
    """
    bindings = sorted({Binding.of(identity) for identity in identities}, key=Binding.model_dump_json)
    if not bindings:
        raise CalibrationError("there is no answer with a label")
    first, *others = bindings
    for other in others:
        names = ", ".join(name for name in Binding.model_fields if getattr(first, name) != getattr(other, name))
        raise CalibrationError(f"the answers differ in {names}, and a policy is for one: take a run of each")
    return first


def sorted_runtimes(found: Mapping[Runtime, Sequence[Scored]]) -> dict[Runtime, tuple[Scored, ...]]:
    """Return runtimes in an order that depends on nothing but them."""
    return {where: tuple(found[where]) for where in sorted(found, key=Runtime.model_dump_json)}
