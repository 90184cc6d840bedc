"""One short decision: what surrounds the forward pass, and the whole of it against the floor."""

from benchmarks.interval import bootstrap
from benchmarks.loaded_model import as_decision
from benchmarks.plain_decode import floor
from benchmarks.rounds import Rounds
from benchmarks.rows import Comparison, Row
from benchmarks.stopwatch import Elapsed, stopwatch
from benchmarks.trial import Trial, compared, medians, results
from benchmarks.workload import short_decision

AROUND_MILLISECONDS = 3.0
WHOLE_TO_FLOOR = 1.05
_CHECKED = 5


def measure(trial: Trial, rounds: Rounds) -> list[Row]:
    """Asks short decisions, each with a state of its own, in turn with the reference and the floor."""
    ours: list[Elapsed] = []
    reference: list[Elapsed] = []
    plain: list[Elapsed] = []
    around: list[float] = []
    count = 0
    trial.ours.ask({"decision": short_decision(0)})
    for number in rounds:
        body = short_decision(number + 1)
        prefix, (suffix,) = trial.tokens([body])
        answer = trial.ours.ask({"decision": body})
        result = results(answer)[0]
        ours.append(answer.elapsed)
        around.append((answer.elapsed.wall_seconds - result["forward_seconds"]) * 1000)
        with stopwatch() as elapsed:
            logits = trial.reference.single(as_decision(body))
        reference.append(elapsed)
        with stopwatch() as elapsed:
            floor(trial.floor, prefix + suffix)
        plain.append(elapsed)
        trial.agreement.with_reference(result, logits)
        if number < _CHECKED:
            trial.check([body], answer)
        count = len(prefix) + len(suffix)
    name = trial.loaded.file.name
    outside = Comparison("nothing", "ms", bootstrap(around), AROUND_MILLISECONDS)
    return [
        Row(
            name,
            "one short decision, outside the forward pass",
            {"ms": outside.interval.median},
            None,
            None,
            (outside,),
            "the caller's wall time less the forward_seconds of the answer",
        ),
        Row(
            name,
            f"one short decision ({count} tokens), whole",
            medians(ours),
            medians(reference),
            medians(plain),
            compared("floor", ours, plain, WHOLE_TO_FLOOR),
        ),
    ]
