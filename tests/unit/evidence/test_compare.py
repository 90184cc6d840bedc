"""Two runs paired by task: what is counted, what is listed, and what is refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.compare import compare
from evidence.difference import Difference
from evidence.pairs import ComparisonError
from evidence.results import Results
from evidence.verdict import Finding, Floor
from tests.unit.evidence.synthetic import answered, failed, identity, results

RIGHT, WRONG = (2.0, 1.0, 0.0), (1.0, 2.0, 0.0)
OTHER = identity(backend="cuda", device="L40S", llama_cpp={"version": "0.5.1", "library_sha256": "9" * 64})


def _run(right: list[bool], run: str, **changed: Any) -> Results:
    return results((answered(f"t{n}", RIGHT if each else WRONG, **changed) for n, each in enumerate(right)), run=run)


def _on_other(*lines: Any) -> Results:
    return results(lines, OTHER, run="run-2")


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_counts_are_those_of_the_pairs(tasks: list[tuple[bool, bool]]) -> None:
    """Right, lost, gained and flipped follow from each task's two answers."""
    found = compare(_run([a for a, _ in tasks], "a"), _run([b for _, b in tasks], "b")).counts

    assert (found.tasks, found.right_a, found.right_b) == (
        len(tasks),
        sum(a for a, _ in tasks),
        sum(b for _, b in tasks),
    )
    assert (found.lost, found.gained) == (sum(a > b for a, b in tasks), sum(a < b for a, b in tasks))
    assert found.flipped == sum(a != b for a, b in tasks)
    assert found.identical == len(tasks) - found.flipped


def test_a_run_compared_with_itself_is_the_same() -> None:
    """Every answer has the same bits, and nothing differs in the identity."""
    run = _run([True, False, True], "a")

    found = compare(run, run)

    assert found.verdict.finding is Finding.SAME
    assert (found.flips, found.identity, found.prompts_changed) == ((), (), 0)


def test_flips_are_listed_with_both_distributions() -> None:
    """Wrong to another wrong option is a flip too; a task chosen the same is none."""
    a = results([answered("same"), answered("moved", (0.0, 1.0, 2.0))])
    b = results([answered("same", (5.0, 1.0, 0.0)), answered("moved", (0.0, 2.0, 1.0))])

    (flip,) = compare(a, b).flips

    assert (flip.task, flip.gold, flip.a.choice, flip.b.choice) == ("moved", "a", "c", "b")
    assert flip.a.probabilities["c"] == flip.b.probabilities["b"] == pytest.approx(0.6652, abs=1e-4)


def test_a_failure_counts_as_wrong_and_is_listed_by_its_error() -> None:
    """The task is lost, not left out."""
    found = compare(results([answered("t")]), results([failed("t")]))

    assert (found.counts.tasks, found.counts.lost) == (1, 1)
    assert (found.flips[0].b.choice, found.flips[0].b.probabilities) == ("EndpointBusyError", {})
    assert found.ratios == ()


def test_a_failure_that_a_resumed_run_answered_is_an_answer() -> None:
    """The answer replaces it."""
    found = compare(results([failed("t"), answered("t")]), results([answered("t")]))

    assert found.counts.identical == 1


def test_repeats_and_rotations_do_not_count_a_task_twice() -> None:
    """The first repeat with the declared order stands for the task."""
    lines = [answered("t", repeat=repeat, rotation=rotation) for repeat in (0, 1) for rotation in (0, 1)]

    assert compare(results(lines), results(lines)).counts.tasks == 1


@pytest.mark.parametrize("later", [{"rotation": 1}, {"repeat": 1}, {"phase": "closed-4"}])
def test_what_stands_for_a_task_is_its_first_asking(later: dict[str, Any]) -> None:
    """Options as declared, first repeat, the phase that is compared: what a later line says is another matter."""
    a, b = results([answered("t", WRONG)]), results([answered("t", RIGHT), answered("t", WRONG, **later)])

    found = compare(a, b).counts

    assert (found.right_a, found.right_b, found.gained) == (0, 1, 1)


def test_the_floor_comes_from_the_runs_own_repeats() -> None:
    """Of two tasks asked three times, one flipped once: one of four pairs."""
    a = results(
        [
            answered("still"),
            answered("still", repeat=1),
            answered("still", repeat=2),
            answered("shaky"),
            answered("shaky", WRONG, repeat=1),
            answered("shaky", repeat=2),
        ]
    )

    assert compare(a, a).floor == Floor(pairs=4, flipped=1, identical=3, swing=0.5)


def test_repeats_of_another_phase_are_no_floor() -> None:
    """How much sixteen clients' answers differ says nothing of one's."""
    a = results([answered("t"), answered("t", phase="closed-16"), answered("t", WRONG, phase="closed-16", repeat=1)])

    assert compare(a, a).floor is None


def test_a_repeat_that_another_identity_answered_is_refused() -> None:
    """It is no repeat of A, although it lies in A's file."""
    a = results([answered("t"), answered("t", repeat=1, identity=OTHER.sha256)], identity(), OTHER)

    with pytest.raises(ComparisonError, match="A and its repeats: 2 identities answered"):
        compare(a, results([answered("t")]))


def test_the_floor_comes_from_another_run_of_the_same_identity() -> None:
    """A run of another identity, or A itself, is no repeat of A."""
    a, b = _run([True, True], "a"), _run([True, False], "b")

    assert compare(a, b, floor=_run([False, True], "again")).floor == Floor(2, 1, 1, 0.5)
    with pytest.raises(ComparisonError, match=r"no repeat of A: it differs in llama_cpp\.version, .*backend, device"):
        compare(a, b, floor=_on_other(answered("t0", identity=OTHER.sha256)))
    with pytest.raises(ComparisonError, match="is A itself"):
        compare(a, b, floor=a)


def test_identities_are_compared_field_by_field() -> None:
    """Nested fields by their dotted names, and only those that differ."""
    found = compare(results([answered("t")]), _on_other(answered("t", identity=OTHER.sha256)))

    assert found.identity == (
        Difference("llama_cpp.version", "0.5.0", "0.5.1"),
        Difference("llama_cpp.library_sha256", "c" * 64, "9" * 64),
        Difference("backend", "cpu-zen4", "cuda"),
        Difference("device", None, "L40S"),
    )


def test_a_run_that_mixes_identities_is_refused() -> None:
    """No figure of it belongs to anything."""
    mixed = results([answered("t0"), answered("t1", identity=OTHER.sha256)], identity(), OTHER)

    with pytest.raises(ComparisonError, match="B: 2 identities answered"):
        compare(_run([True, True], "a"), mixed)


def test_runs_with_nothing_to_pair_are_refused() -> None:
    """Another task set, another phase, or a phase that one of them has not."""
    a = results([answered("t")])

    with pytest.raises(ComparisonError, match="no task in common"):
        compare(a, results([answered("u")]))
    with pytest.raises(ComparisonError, match="no phase in common: A has sequential, B has closed-4"):
        compare(a, results([answered("t", phase="closed-4")]))
    with pytest.raises(ComparisonError, match="phase 'closed-4' is not in both runs"):
        compare(a, a, phase="closed-4")


def test_runs_that_contradict_each_other_about_gold_are_refused() -> None:
    """The task is named."""
    with pytest.raises(ComparisonError, match="task 't': the runs do not agree"):
        compare(results([answered("t")]), results([answered("t", gold="b")]))


def test_what_only_one_run_was_asked_is_counted_beside_the_comparison() -> None:
    """It is neither lost nor gained."""
    found = compare(_run([True, True, True], "a"), _run([True], "b"))

    turned = compare(_run([True], "b"), _run([True, True, True], "a"))

    assert (found.counts.tasks, found.only_a, found.only_b) == (1, 2, 0)
    assert (turned.counts.tasks, turned.only_a, turned.only_b) == (1, 0, 2)


def test_changed_wording_is_counted() -> None:
    """By definition and by rendered prompt."""
    found = compare(results([answered("t")]), results([answered("t", definition=None, prompt_sha256="1" * 64)]))

    assert (found.reworded, found.prompts_changed) == (1, 1)
