"""Runs whose pages differ in everything that a page may show."""

from typing import Any

from evidence.records import Answered, Failed, ScaleOut
from evidence.results import Results
from tests.unit.evidence.synthetic import Scorer, answered, failed, identity, results

L40S, L4 = (identity(backend="cuda", device=f"NVIDIA {name}") for name in ("L40S", "L4"))
NOTE = "The labels of this file were made by models."


def few() -> Results:
    """Two answers, one of them wrong, of a file with a note."""
    return results([answered("t0"), answered("t1", (0.0, 1.0, 0.5))], note=NOTE)


def many() -> Results:
    """Five phases, twenty families, three types, failures and a scale-out."""
    kinds: tuple[Any, ...] = ("choice", "noul", "score")
    lines: list[Answered | Failed] = [
        line.model_copy(
            update={"family": f"family {number % 20}", "type": kinds[number % 3], "file": f"{number % 2}.jsonl"}
        )
        for number, line in enumerate(Scorer(temperature=2, options=4).answers(400, seed=1))
    ]
    phases = ("closed-1", "closed-4", "closed-16", "open-1.5")
    lines += [answered(f"task-{number:05}", phase=phase) for phase in phases for number in range(30)]
    lines += [failed("lost", phase="closed-16"), failed("gone", error="NotBegun", status=None, code="", attempts=0)]
    made = results(lines)
    made.scale_outs.append(
        ScaleOut(phase="open-1.5", target=5, instances=1, breached_seconds=10, desired_seconds=70, capacity_seconds=400)
    )
    return made


def mixed() -> Results:
    """Two members of a pool, and a failure."""
    return results(
        [answered("t0", identity=L40S.sha256), answered("t1", (0.0, 9.0), identity=L4.sha256), failed("t2")], L40S, L4
    )


def rotated() -> Results:
    """Twenty tasks in each order of their three options, by a model that likes the first place; four in two of five."""
    whole = Scorer(position_prior=(2.0, 0.0, 0.0)).answers(20, 1, rotations=3)
    part = Scorer(options=5).answers(4, 1, rotations=2, type="score")
    return results([*whole, *(line.model_copy(update={"task": f"{line.task}-of-five"}) for line in part)])


RUNS = {
    "few": few(),
    "many": many(),
    "mixed": mixed(),
    "rotated": rotated(),
    "nothing": results([failed("t0"), failed("t1")]),
}
