"""The figures of a run."""

import pytest

from evidence.records import ScaleOut
from evidence.summary import Phase, summarize
from tests.unit.evidence.synthetic import answered, failed, identity, results


def _phase(*lines: object, **more: object) -> Phase:
    (phase,) = summarize(results(lines, **more)).phases  # type: ignore[arg-type]
    return phase


def test_a_failure_is_wrong() -> None:
    """Accuracy is of all tasks that were asked, valid responses are those with an answer."""
    phase = _phase(answered("t1"), answered("t2", gold="b"), failed("t3"), failed("t4"))

    (figures,) = phase.figures
    assert (figures.accuracy.count, figures.accuracy.total) == (1, 4)
    assert (figures.valid.count, figures.valid.total) == (2, 4)
    assert phase.errors == {"EndpointBusyError 503 busy": 2}


def test_every_task_counts_once() -> None:
    """Repeats and rotations are the same text: they add seconds and tokens, and nothing to accuracy."""
    right, wrong = answered("t1"), answered("t2", gold="b")
    again = [answered("t1", repeat=1, client_seconds=0.8), answered("t2", gold="b", rotation=1)]

    (figures,) = _phase(right, wrong, *again).figures

    assert (figures.accuracy.count, figures.accuracy.total) == (1, 2)
    assert figures.client
    assert (figures.client.count, figures.client.greatest) == (4, 0.8)
    assert figures.tokens == 4 * 130


def test_a_task_whose_repeats_differ_is_unstable() -> None:
    """A rotation that flips is no instability, it is another question to the model."""
    flipped = answered("t1", (1.0, 2.0, 0.0), repeat=1)
    rotated = answered("t2", (1.0, 2.0, 0.0), rotation=1)

    (figures,) = _phase(answered("t1"), flipped, answered("t2"), rotated).figures

    assert figures.unstable == 1


def test_accuracy_is_split_by_family_and_type() -> None:
    """In the order in which they were asked."""
    lines = [answered("t1"), answered("t2", gold="b"), answered("t3", family="policy", type="noul")]

    (figures,) = _phase(*lines).figures

    assert {name: (each.count, each.total) for name, each in figures.by_family.items()} == {
        "routing": (1, 2),
        "policy": (1, 1),
    }
    assert list(figures.by_type) == ["choice", "noul"]


def test_accuracy_is_split_by_task_file() -> None:
    """By the file's name; what was written before it was kept has none."""
    lines = [answered("t1", file="a.jsonl"), answered("t2", gold="b", file="a.jsonl"), failed("t3", file="b.jsonl")]

    (figures,) = _phase(*lines, answered("t4")).figures

    counts = {name: (each.count, each.total) for name, each in figures.by_file.items()}
    assert counts == {"a.jsonl": (1, 2), "b.jsonl": (0, 1), "": (1, 1)}


def test_a_shared_request_is_one_request() -> None:
    """Each of its decisions has a line with the whole request's attempts."""
    lines = [answered(f"t{number}", shared=3, attempts=2, rejections=1) for number in range(3)]

    phase = _phase(*lines, answered("t3"))

    assert (phase.decisions, phase.requests, phase.attempts) == (4, 2, 3)
    assert (phase.rejections, phase.retries, phase.amplification) == (1, 1, 1.5)


def test_a_phase_is_as_late_as_its_latest_request() -> None:
    """Of answers and failures alike."""
    assert (
        _phase(answered("t1", late_seconds=0.1), failed("t2", late_seconds=0.7), answered("t3")).latest_seconds == 0.7
    )


def test_what_was_never_sent_is_no_request() -> None:
    """Not begun in an open loop, or refused by the client itself."""
    lines = [answered("t1"), failed("t2", attempts=0, error="NotBegun", status=None, code="")]

    phase = _phase(*lines)

    assert (phase.requests, phase.not_begun, phase.amplification) == (1, 1, 1.0)
    assert phase.errors == {"NotBegun": 1}


def test_throughput_is_answers_from_first_begin_to_last_end() -> None:
    """Failures take time and count for nothing."""
    first, last = (answered(f"t{at}", started_seconds=at, client_seconds=at - 9.5) for at in (10.0, 12.0))

    phase = _phase(first, failed("t2", started_seconds=11.0), last)

    assert (phase.seconds, phase.throughput) == (4.5, 2 / 4.5)


def test_figures_of_two_identities_are_not_averaged() -> None:
    """Each has its own, a failure is neither's, and the summary says so."""
    other = identity(backend="cuda")
    lines = (answered("t1"), answered("t2", gold="b", identity=other.sha256), failed("t3"))

    summary = summarize(results(lines, identity(), other))

    (phase,) = summary.phases
    assert summary.mixed
    assert phase.mixed
    assert [(each.accuracy.count, each.accuracy.total) for each in phase.figures] == [(1, 1), (0, 1)]
    assert [each.identity for each in phase.figures] == [identity().sha256, other.sha256]


def test_phases_of_different_identities_are_told_apart() -> None:
    """Each phase has one identity and its figures; that they differ is said of the run."""
    other = identity(threads=9)
    lines = [answered("t1"), answered("t1", phase="closed-4", identity=other.sha256)]

    summary = summarize(results(lines, identity(), other))

    assert summary.mixed
    assert [phase.mixed for phase in summary.phases] == [False, False]


def test_a_phase_without_an_answer_has_no_latency() -> None:
    """And 0 of its tasks right."""
    (figures,) = _phase(failed("t1")).figures

    assert (figures.identity, figures.client, figures.accuracy.total) == ("", None, 1)


def test_notes_and_scale_outs_are_kept() -> None:
    """What must be said, and what autoscaling did in the phase."""
    made = results([answered("t1"), answered("t1", phase="open-2")], note="labels made by models")
    made.scale_outs.append(
        ScaleOut(phase="open-2", target=3, instances=1, breached_seconds=4.0, capacity_seconds=184.0)
    )

    summary = summarize(made)

    assert summary.notes == {"tasks.jsonl": "labels made by models"}
    sequential, opened = summary.phases
    assert opened.scale_outs[0].capacity_seconds == pytest.approx(184.0)
    assert sequential.scale_outs == ()


def test_a_run_that_ended_early_is_known_as_such() -> None:
    """What was not asked is counted by phase, phases it never came to among them; of a whole one nothing is said."""
    made = results([answered("t1"), failed("t2"), answered("t1", phase="closed-2")])
    made.run = made.run.model_copy(update={"decisions": {"sequential": 5, "closed-2": 1, "closed-4": 5}})

    assert summarize(made).unasked == {"sequential": 3, "closed-4": 5}
    assert summarize(results([answered("t1")])).unasked == {}
