"""A phase's throughput is the one of its summary, with what is needed to know of what it is one."""

import pytest

from evidence.records import Answered, Failed, ScaleOut
from evidence.summary import summarize
from ops.costs.throughput import throughputs
from tests.unit.evidence.synthetic import answered, failed, identity, results


def test_a_phase_lasts_from_its_first_request_to_its_last_answer() -> None:
    """Three answers in two seconds, overlapping ones counted once."""
    lines = [
        answered("t1", started_seconds=10.0, client_seconds=1.5),
        answered("t2", started_seconds=10.5, client_seconds=1.5),
        answered("t3", started_seconds=10.5, client_seconds=0.5),
    ]

    (found,) = throughputs(summarize(results(lines)))

    assert found.per_second == pytest.approx(1.5)


def test_what_failed_takes_time_and_answers_nothing() -> None:
    """A refusal that took the last second of the phase halves its throughput; a phase of refusals alone has none."""
    lines: list[Answered | Failed] = [
        answered("t1", started_seconds=0.0, client_seconds=1.0),
        failed("t2", started_seconds=1.0, client_seconds=1.0),
        failed("t1", phase="closed-16", started_seconds=9.0, client_seconds=1.0),
    ]

    (found,) = throughputs(summarize(results(lines)))

    assert found.phase == "sequential"
    assert found.per_second == pytest.approx(0.5)


def test_every_runtime_that_answered_is_named() -> None:
    """Two identities in a phase are two; one that answered in another phase is not among them."""
    here, there = identity(), identity(backend="cuda", device="NVIDIA L4")
    lines = [
        answered("t1", started_seconds=0.0, client_seconds=1.0),
        answered("t2", started_seconds=1.0, client_seconds=1.0, identity=there.sha256),
        answered("t1", phase="closed-4", started_seconds=3.0, client_seconds=1.0),
    ]

    first, second = throughputs(summarize(results(lines, here, there)))

    assert first.identities == (here, there)
    assert second.identities == (here,)


@pytest.mark.parametrize(("capacity", "instances"), [(None, 2), (4.0, 0)])
def test_instances_are_those_that_the_run_saw(capacity: float | None, instances: int) -> None:
    """A fleet that grew during a phase has no one number; a phase that nobody watched has none at all."""
    lines = [answered("t1", phase=phase, started_seconds=1.0, client_seconds=1.0) for phase in ("open-2", "sequential")]
    run = results(lines)
    run.scale_outs.append(ScaleOut(phase="open-2", target=5.0, instances=2, capacity_seconds=capacity))

    found = {each.phase: each.instances for each in throughputs(summarize(run))}

    assert found == {"open-2": instances, "sequential": None}
