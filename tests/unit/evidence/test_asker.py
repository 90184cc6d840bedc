"""A run through the client's own retries, to an endpoint that is busy half the time."""

import json
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from decision_client.scores import calibrated
from decision_client.transport import Reply
from evidence.asker import EndpointAsker
from evidence.benchmark import Plan, run
from evidence.plan import SEQUENTIAL, closed
from evidence.results import read_results
from evidence.results_log import ResultsLog
from evidence.summary import summarize
from tests.unit.decision_client import samples
from tests.unit.evidence.fake_endpoint import header, tasks


class BusyTransport:
    """Refuses every decision the first time that it is sent, as the container does, and answers the second."""

    def __init__(self) -> None:
        """Nothing was sent."""
        self.sent: Counter[str] = Counter()
        self._lock = threading.Lock()

    def send(self, body: bytes, timeout_seconds: float) -> Reply:
        """Refuse or answer."""
        assert timeout_seconds > 0
        asked = json.loads(body)["decision"]
        with self._lock:
            self.sent[asked["id"]] += 1
            first = self.sent[asked["id"]] == 1
        if first:
            refusal = {"error": "busy", "code": "busy", "field": None, "retryable": True, "retry_after_seconds": 2}
            return Reply(503, json.dumps(refusal).encode())
        return Reply(200, json.dumps({"result": _result(asked)}).encode())


def _result(asked: dict[str, Any]) -> dict[str, Any]:
    ids = [option["id"] for option in asked["options"]]
    logits = [float(-place) for place in range(len(ids))]
    changed = {"choice": ids[0], "option_ids": ids, "option_logits": logits}
    answer = samples.answer(id=asked["id"], **changed, probabilities=calibrated(logits, 1.0))
    return answer.model_dump(mode="json")


@pytest.mark.parametrize("phase", [SEQUENTIAL, closed(4)])
@pytest.mark.rule(
    "a run to an endpoint that is busy half the time answers every decision once and tells the amplification",
    tool="the run and the decision client",
    emulated="the endpoint",
)
def test_a_run_to_a_busy_endpoint_is_complete(tmp_path: Path, phase: Any) -> None:
    """Forty decisions take eighty attempts: forty rejections, forty retries, an amplification of 2."""
    waits: list[float] = []
    asker = EndpointAsker(transport := BusyTransport(), sleep=waits.append)
    run(Plan((phase,), tuple(tasks(40))), asker, ResultsLog(tmp_path / "run.jsonl", header(), resume=False))

    results = read_results(tmp_path / "run.jsonl")
    (found,) = summarize(results).phases
    assert Counter(line.task for line in results.answers) == Counter(f"t{number}" for number in range(40))
    assert set(transport.sent.values()) == {2}
    assert (found.attempts, found.rejections, found.retries, found.amplification) == (80, 40, 40, 2.0)
    assert len(waits) == 40
    assert min(waits) >= 2
