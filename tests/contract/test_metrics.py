"""Log lines and metrics are exactly those that docs/operations.md explains, and what CloudWatch's format asks for."""

import asyncio
import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semif.engine import DeadlineExceededError
from semif.health import Health
from tests.contract.application import Served, decision
from tests.contract.test_load import inside

RUNBOOK = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()
UNITS = {"Seconds", "Count"}  # of those the format knows
MEMBERS = {"_aws", "EndpointName", "Reason", "Code", "event"}


def rows(heading: str) -> Iterator[list[str]]:
    """The cells of the table whose first heading this is."""
    table = RUNBOOK.partition(f"| {heading} |")[2].partition("\n\n")[0]
    for line in table.splitlines()[2:]:
        yield [cell.strip() for cell in line.strip("|").split("|")]


def names(cell: str) -> set[str]:
    """What is set in code in a cell."""
    return set(re.findall(r"`(\w+)`", cell))


def requests() -> dict[str, dict[str, Any]]:
    """The line of one request of each kind, by its status, a 503 by its reason."""
    return {line.get("reason") or str(line["status"]): line for line in _lines()}


def _lines() -> Iterator[dict[str, Any]]:
    answered, refused, failing, late = Served(), Served(), Served(), Served(seconds_per_token=0.1, places=2)
    answered.post({"decision": decision()})
    refused.post({"decision": decision(state="")})
    failing.engine.failure = RuntimeError("x")
    failing.post({"decision": decision()})
    failing.engine.failure = DeadlineExceededError()
    failing.post({"decision": decision()})
    failing.admission.close()
    failing.post({"decision": decision()})
    asyncio.run(_busy(late))
    for served in (answered, refused, failing, late):
        yield from served.lines()


async def _busy(served: Served) -> None:
    served.engine.gate.clear()
    stays, leaves = asyncio.Event(), asyncio.Event()
    running = asyncio.create_task(served.call({"decision": decision()}, leaves))
    await inside(served, 1)
    await served.call({"decision": decision()}, stays)
    with served.admission.place():
        await served.call({"decision": decision()}, stays)
    leaves.set()
    await running


def test_every_kind_of_line_is_there() -> None:
    """Answered, refused, failed, left, and each reason of a 503."""
    kinds = names(
        next(cells[1] for cells in rows("field of `request`") if "`reason`" in cells[0]).partition("Status")[0]
    )

    assert set(requests()) == {"200", "400", "500", "499"} | kinds - {"reason"}


def test_metrics_are_the_documented_ones() -> None:
    """Each metric is declared with the documented unit by lines of the documented statuses, and by no others."""
    documented = {
        name: (cells[1], {status.strip() for status in cells[2].replace("4xx", "400").split(",")})
        for cells in rows("metric")
        for name in names(cells[0])
    }
    declared: dict[str, tuple[str, set[str]]] = {}
    for line in requests().values():
        for metric in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]:
            _, statuses = declared.setdefault(metric["Name"], (metric["Unit"].lower(), set()))
            statuses.add(str(line["status"]))

    assert declared == documented


@pytest.mark.parametrize("kind", ["200", "400", "499", "500", "no_place", "too_late", "stopping", "deadline"])
def test_a_line_is_a_record_of_the_embedded_format(kind: str) -> None:
    """Every declared metric is a number of the line, every dimension a short text of it, as the specification wants."""
    line = requests()[kind]
    block = line["_aws"]
    (directive,) = block["CloudWatchMetrics"]

    assert set(block) == {"Timestamp", "CloudWatchMetrics"}
    assert set(directive) == {"Namespace", "Dimensions", "Metrics"}
    assert directive["Namespace"] == "SemIf/Decision"
    assert isinstance(block["Timestamp"], int)
    assert abs(block["Timestamp"] / 1000 - line["time"]) < 60
    assert 1 <= len(directive["Metrics"]) <= 100
    for metric in directive["Metrics"]:
        assert set(metric) == {"Name", "Unit"}
        assert metric["Unit"] in UNITS
        assert type(line[metric["Name"]]) in (int, float)
    for dimensions in directive["Dimensions"]:
        assert 1 <= len(dimensions) <= 30
        assert all(isinstance(line[name], str) and 1 <= len(line[name]) <= 1024 for name in dimensions)
    assert len(json.dumps(line)) < 256 << 10


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("200", []),
        ("400", [("Code", "empty")]),
        ("499", [("Code", "client_went_away")]),
        ("500", []),
        ("no_place", [("Reason", "no_place")]),
        ("too_late", [("Reason", "too_late")]),
        ("stopping", [("Reason", "stopping")]),
        ("deadline", [("Reason", "deadline")]),
    ],
)
def test_dimensions_are_the_documented_ones(kind: str, why: list[tuple[str, str]]) -> None:
    """Every metric under the endpoint's name; those of 503 under the reason too, those of 4xx under the code."""
    line = requests()[kind]

    assert line["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["EndpointName"]] + [
        ["EndpointName", name] for name, _ in why
    ]
    assert line["EndpointName"] == "toy-endpoint"
    assert [(name, line[name]) for name in ("Reason", "Code") if name in line] == why
    assert ("DeadlineAborts" in line) is (kind == "deadline")


def test_fields_of_a_line_are_the_documented_ones() -> None:
    """No line has a field that the runbook does not explain, and it explains none that no line has."""
    documented = {name for cells in rows("field of `request`") for name in names(cells[0])}
    metrics = {name for cells in rows("metric") for name in names(cells[0])}
    seen = {name for line in requests().values() for name in line}

    assert seen - MEMBERS - metrics == documented
    assert all(value is not None for line in requests().values() for value in line.values())


def test_no_number_of_a_line_is_no_number() -> None:
    """JSON has no NaN: a line that held one would be no metric, and no line."""
    served = Served()
    served.engine.logits = np.zeros(300, dtype=np.float32)
    served.post({"decision": decision()})

    def refuse(text: str) -> None:
        raise AssertionError(text)

    json.loads(served.stream.getvalue(), parse_constant=refuse)


def test_flags_of_an_answer_are_counted() -> None:
    """A tie is flagged in the answer with its low margin and low mass, and its line carries the metrics."""
    served = Served()
    served.engine.logits = np.zeros(300, dtype=np.float32)

    result = served.post({"decision": decision()}).json()["result"]

    line = served.lines()[0]
    assert (result["tie"], result["low_margin"], result["low_mass"]) == (True, True, True)
    assert (line["Decisions"], line["Ties"], line["LowMargin"], line["LowMass"], line["CacheHits"]) == (1, 1, 1, 1, 0)
    assert line["ForwardTime"] == 0.75


def test_a_resident_state_is_a_cache_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The average of `CacheHits` is the rate of requests whose state was there."""
    served = Served()
    score = served.engine.score
    monkeypatch.setattr(
        served.engine, "score", lambda work, deadline: replace(score(work, deadline=deadline), resident=True)
    )

    served.post({"decision": decision()})

    assert (served.lines()[0]["resident"], served.lines()[0]["CacheHits"]) == (True, 1)


def test_reasons_to_be_unhealthy_are_the_documented_ones() -> None:
    """Each that the container can give is in the runbook, and no other."""
    documented = names(next(cells[2] for cells in rows("`event`") if cells[0] == "`unhealthy`")) - {"reason"}

    assert documented == set(re.findall(r'return "(\w+)"', inspect.getsource(Health)))
