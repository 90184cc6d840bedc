"""A run whose process is killed while sixteen clients ask, and the one that completes it."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from evidence.benchmark import Plan
from evidence.plan import closed
from evidence.results import read_results
from evidence.summary import summarize
from tests.unit.evidence.fake_endpoint import FakeEndpoint, ran, tasks

PLAN = Plan((closed(16),), tuple(tasks(200, state=lambda number: f"state {number // 3}")), repeat=2)
_KILLED_BY = "import sys; from tests.unit.evidence.test_benchmark_killed import die; die(*sys.argv[1:])"


def die(file: str, together: str, answers: str) -> None:
    """Run the plan, until so many requests were asked: then the process is gone in the middle of what it did."""
    endpoint = FakeEndpoint()

    def before() -> None:
        if len(endpoint.asked) > int(answers):
            os.kill(os.getpid(), signal.SIGKILL)

    endpoint.before = before
    ran(Path(file), _plan(int(together)), endpoint)


def _plan(together: int) -> Plan:
    return Plan(PLAN.phases, PLAN.tasks, repeat=PLAN.repeat, together=together)


@pytest.mark.parametrize("together", [1, 3])
@pytest.mark.rule(
    "a run that is killed at 16 clients keeps what it wrote, and a resumed one answers the rest once",
    tool="a process of its own and SIGKILL",
    emulated="the endpoint",
)
def test_a_run_that_is_killed_is_completed_by_a_resumed_one(tmp_path: Path, together: int) -> None:
    """Every decision has one answer in the end, and none that was in the file is asked again."""
    file = tmp_path / "run.jsonl"
    ended = subprocess.run([sys.executable, "-c", _KILLED_BY, str(file), str(together), "60"], check=False)
    before = read_results(file)
    endpoint = FakeEndpoint()

    results = ran(file, _plan(together), endpoint, resume=True)

    assert ended.returncode == -signal.SIGKILL
    assert 0 < len(before.answers) < 400
    asked = Counter(each for request in endpoint.asked for each in request)
    left = Counter(line.task for line in results.answers) - Counter(line.task for line in before.answers)
    assert asked == left
    assert Counter((line.task, line.repeat) for line in results.answers) == Counter(
        (f"t{number}", repeat) for number in range(200) for repeat in (0, 1)
    )
    assert (results.failures, results.superseded) == ([], 0)
    assert summarize(results).phases[0].answered == 400
