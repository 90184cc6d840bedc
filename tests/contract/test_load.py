"""Several callers at once: who waits, who is turned away, who left, and what the log counts."""

import asyncio
import json

import numpy as np
import pytest

from semif.engine import EngineError
from semif.health import INVALID_IN_A_ROW
from tests.contract.application import Served, decision


async def inside(served: Served, count: int) -> None:
    """Waits until the engine was asked `count` times."""
    while len(served.engine.works) < count:  # noqa: ASYNC110 - the engine notes them on another thread
        await asyncio.sleep(0.001)


@pytest.mark.rule(
    "One engine operation at a time; a bounded number waits, the rest gets 503 with a time to come back",
    tool="asyncio",
    emulated="the engine behind it",
)
def test_waiting_requests_are_answered_one_after_another() -> None:
    """With five places six callers find five answers and one refusal; the engine was asked one by one."""
    served = Served(places=5)
    served.engine.gate.clear()

    async def story() -> list[int]:
        left = asyncio.Event()
        calls = [asyncio.create_task(served.call({"decision": decision(id=f"d{n}")}, left)) for n in range(6)]
        await inside(served, 1)
        await asyncio.sleep(0.01)
        assert len(served.engine.works) == 1
        served.engine.gate.set()
        return await asyncio.gather(*calls)

    assert sorted(asyncio.run(story())) == [200] * 5 + [503]
    assert len(served.engine.works) == 5
    assert [line["reason"] for line in served.lines() if line["status"] == 503] == ["no_place"]


def test_a_waiting_caller_who_leaves_is_dropped() -> None:
    """The engine is never asked for a caller who left the queue, and the place is free again."""
    served = Served(places=2)
    served.engine.gate.clear()

    async def story() -> list[int]:
        stays, leaves = asyncio.Event(), asyncio.Event()
        running = asyncio.create_task(served.call({"decision": decision()}, stays))
        await inside(served, 1)
        waiting = asyncio.create_task(served.call({"decision": decision()}, leaves))
        await asyncio.sleep(0.01)
        leaves.set()
        gone = await waiting
        another = asyncio.create_task(served.call({"decision": decision()}, stays))
        await asyncio.sleep(0.01)
        served.engine.gate.set()
        return [gone, await running, await another]

    assert asyncio.run(story()) == [499, 200, 200]
    assert len(served.engine.works) == 2


def test_a_running_decode_whose_caller_leaves_is_aborted() -> None:
    """The engine is told to stop, and the next request has it."""
    served = Served()
    served.engine.gate.clear()

    async def story() -> list[int]:
        left = asyncio.Event()
        running = asyncio.create_task(served.call({"decision": decision()}, left))
        await inside(served, 1)
        left.set()
        return [await running, await served.call({"decision": decision()}, asyncio.Event())]

    assert asyncio.run(story()) == [499, 200]
    assert served.engine.aborted is False  # taken back by the second operation
    assert [line["code"] for line in served.lines() if "code" in line] == ["client_went_away"]


def test_an_engine_that_breaks_while_its_caller_leaves_still_ends_the_process() -> None:
    """Nobody waits for the answer, but the process hears of the engine."""
    served = Served()
    served.engine.gate.clear()

    async def story() -> int:
        left = asyncio.Event()
        running = asyncio.create_task(served.call({"decision": decision()}, left))
        await inside(served, 1)
        served.engine.failure = EngineError("llama_decode answered -3")
        served.engine.abort = served.engine.gate.set  # type: ignore[method-assign] # too late to be an abort
        left.set()
        return await running

    assert asyncio.run(story()) == 500
    assert served.broken is True


def test_a_decode_past_its_deadline_is_a_503() -> None:
    """What is not done in time is aborted and may be sent again; the container stays healthy."""
    served = Served(deadline_seconds=0.05)
    served.engine.gate.clear()

    response = served.post({"decision": decision()})

    assert (response.status_code, response.json()["code"]) == (503, "deadline_exceeded")
    assert response.json()["retryable"] is True
    assert response.json()["retry_after_seconds"] >= 1
    assert served.request("GET", "/ping").status_code == 200
    assert served.lines()[0]["DeadlineAborts"] == 1


def test_what_can_never_be_in_time_is_a_400() -> None:
    """A request too slow for this machine is refused before the engine, not retryable, both figures named."""
    served = Served(seconds_per_token=1.0)

    response = served.post({"decision": decision()})

    answer = response.json()
    assert (response.status_code, answer["code"], answer["retryable"]) == (400, "too_slow_here", False)
    assert "at most 50 s" in answer["error"]
    assert served.engine.works == []


def test_what_would_be_late_behind_others_is_a_503_after_counting() -> None:
    """A place is free, but the estimate misses the deadline: come back when it does not."""
    served = Served(places=5, seconds_per_token=0.1)
    served.engine.gate.clear()

    async def story() -> list[int]:
        left = asyncio.Event()
        running = asyncio.create_task(served.call({"decision": decision()}, left))
        await inside(served, 1)
        late = await served.call({"decision": decision()}, left)
        served.engine.gate.set()
        return [await running, late]

    assert asyncio.run(story()) == [200, 503]
    refused = next(line for line in served.lines() if line["status"] == 503)
    assert refused["reason"] == "too_late"
    assert 1 <= refused["retry_after_seconds"] <= 30
    assert refused["input_tokens"] > 0


def test_a_stop_that_lasts_too_long_answers_everyone() -> None:
    """When the process must end, the running decode is aborted and who waits is told to come back."""
    served = Served(places=5)
    served.engine.gate.clear()

    async def story() -> list[int]:
        left = asyncio.Event()
        calls = [asyncio.create_task(served.call({"decision": decision()}, left)) for _ in range(3)]
        await inside(served, 1)
        served.admission.close()
        served.invocations.expire()
        return await asyncio.gather(*calls)

    assert asyncio.run(story()) == [503] * 3
    assert {line["reason"] for line in served.lines()} == {"stopping"}


def test_repeated_invalid_numbers_fail_the_ping() -> None:
    """A model that computes no numbers any more takes the container out of service; a valid answer brings it back."""
    served = Served()
    good, served.engine.logits = served.engine.logits, np.full(300, np.nan, dtype=np.float32)

    statuses = []
    for _ in range(INVALID_IN_A_ROW):
        statuses += [served.request("GET", "/ping").status_code, served.post({"decision": decision()}).status_code]
    failing = served.request("GET", "/ping").status_code
    served.engine.logits = good
    served.post({"decision": decision()})

    assert statuses == [200, 500] * INVALID_IN_A_ROW
    assert failing == 503
    assert served.request("GET", "/ping").status_code == 200
    assert served.lines()[3]["reason"] == "invalid_numbers"


def test_openapi_document_describes_what_is_answered() -> None:
    """The served document has the routes, the request's rules and exactly the fields of real answers."""
    served = Served()
    document = served.request("GET", "/openapi.json").json()
    schemas = document["components"]["schemas"]
    single = served.post({"decision": decision()}).json()["result"]
    refusal = served.post({}).json()
    busy = {"retry_after_seconds"}

    assert set(document["paths"]) == {"/ping", "/invocations"}
    assert schemas["DecisionBody"]["properties"]["options"]["maxItems"] == 16
    assert schemas["DecisionBody"]["additionalProperties"] is False
    assert schemas["SharedBody"]["properties"]["decisions"]["maxItems"] == 8
    assert set(schemas["Result"]["properties"]) == set(single)
    assert set(schemas["Refusal"]["properties"]) == set(refusal) | busy
    assert json.dumps(document).count("#/components/schemas/") >= 5
