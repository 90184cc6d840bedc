"""Nothing of what a run asks is in what it leaves, however it ends."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from decision_client.transport import Reply
from evidence.asker import EndpointAsker
from evidence.benchmark import Plan, run
from evidence.exchange import EndpointGoneError
from evidence.plan import SEQUENTIAL, closed
from evidence.report import page
from evidence.results import read_results
from evidence.results_log import ResultsLog
from evidence.summary import summarize
from evidence.task_files import read_tasks
from ops.evidence.bench_text import lines
from tests.unit.evidence.fake_endpoint import FakeEndpoint, header
from tests.unit.evidence.task_rows import jevbench, native, typed, write

CANARY = "canary-3e8d"
OPTIONS = [{"id": "yes", "description": f"It is {CANARY}."}, {"id": "no", "description": CANARY}]
QUESTION = {"type": "score", "instructions": CANARY, "criteria": [CANARY, f"{CANARY} 2", f"{CANARY} 3"]}
FILES = {
    "native.jsonl": [
        native(state={CANARY: [CANARY]}, question=f"Is it {CANARY}?", options=OPTIONS),
        native(id="t2", state=CANARY, question=CANARY, options=OPTIONS, gold="no"),
        native(id="t3", state=CANARY, question=f"And {CANARY}?", options=OPTIONS),
    ],
    "jevbench.jsonl": [jevbench(state={"note": CANARY}, question=QUESTION, provenance={"source": CANARY})],
    "typed.jsonl": [
        typed(state=CANARY, instructions=CANARY, criteria={"true": CANARY, "false": f"Not {CANARY}"}, note=CANARY)
    ],
}


@dataclass
class EchoingEndpoint:
    """Repeats every request wherever a reply has words; answers with `statuses`, the last of them for ever."""

    statuses: list[int]
    bodies: list[str] = field(default_factory=list)

    def send(self, body: bytes, _timeout_seconds: float) -> Reply:
        """Reply with what was asked."""
        asked = body.decode()
        self.bodies.append(asked)
        status = self.statuses[min(len(self.bodies), len(self.statuses)) - 1]
        said = {"error": asked, "code": CANARY, "field": f"decision.state.{CANARY}", "result": {"id": asked}}
        return Reply(status, json.dumps(said).encode())


def _plan(folder: Path) -> Plan:
    files = [write(folder / name, *rows) for name, rows in FILES.items()]
    return Plan((SEQUENTIAL, closed(2)), read_tasks(files).tasks, repeat=2, rotations=2, together=2)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    if error is not None:
        yield error
        yield from _causes(error.__cause__)
        yield from _causes(error.__context__)


@pytest.mark.rule(
    "the figures and the page of a run hold nothing of a state, question or description, however it ends",
    tool="the run and its page",
    emulated="",
)
def test_no_file_and_no_page_of_a_run_holds_what_was_asked(tmp_path: Path) -> None:
    """Every kind of row, every phase, rotated and shared; ids, families and files are there."""
    file = tmp_path / "run.jsonl"

    run(_plan(tmp_path), FakeEndpoint(), ResultsLog(file, header(), resume=False))

    results = read_results(file)
    left = [file.read_text(), page(results), "\n".join(lines(summarize(results)))]
    assert {line.task for line in results.answers} == {"t1", "t2", "t3", "j1", "n01"}
    assert all("ordinal" in each and "native.jsonl" in each for each in left)
    assert not any(CANARY in each for each in left)


@pytest.mark.parametrize("statuses", [[400], [200], [400, 200, 500], [400, 404], [404], [403]])
def test_an_endpoint_that_repeats_a_request_is_not_repeated(tmp_path: Path, statuses: list[int]) -> None:
    """Neither in a line, nor on the page, nor in the error that ends a run that cannot go on."""
    file, endpoint, said = tmp_path / "run.jsonl", EchoingEndpoint(statuses), list[str]()
    asker = EndpointAsker(endpoint, sleep=lambda _seconds: None)

    try:
        run(_plan(tmp_path), asker, ResultsLog(file, header(), resume=False))
    except EndpointGoneError as error:
        said += [f"{each!s} {each!r} {vars(each)}" for each in _causes(error)]

    assert CANARY in endpoint.bodies[0]
    assert bool(said) == (statuses != [400])
    assert file.exists() == (statuses[0] in {200, 400})
    if file.exists():
        said += [file.read_text(), page(read_results(file))]
    assert not any(CANARY in each for each in said)
