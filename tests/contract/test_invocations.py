"""What `POST /invocations` answers, with an engine in memory."""

import asyncio
import json
from typing import Any

import numpy as np

from semif.engine import EngineError
from tests.contract.application import Served, decision


def test_shared_decisions_answer_in_order_with_timing() -> None:
    """Decisions that share a state are answered in request order, with one prefix and the promised timing."""
    served = Served()
    asked = [decision(id=name, question=f"{name}?") for name in ("first", "second", "third")]

    body = served.post({"decisions": asked}).json()

    work = served.engine.works[0]
    assert [result["id"] for result in body["results"]] == ["first", "second", "third"]
    assert [result["forward_seconds"] for result in body["results"]] == [0.5] * 3
    assert len(served.engine.works) == 1
    assert len(work.suffixes) == 3
    assert body["timing"] == {
        "batch_size": 3,
        "prefix_tokens": len(work.prefix),
        "prefill_seconds": 0.25,
        "suffix_forward_seconds": 1.5,
        "total_seconds": body["timing"]["total_seconds"],
        "max_request_tokens": 4000,
        "max_tokens_per_decision": 1000,
    }


def test_shared_and_single_forms_score_the_same_tokens() -> None:
    """A decision is the same tokens, cut in the same place, in both forms."""
    single, shared = Served(), Served()
    single.post({"decision": decision()})
    shared.post({"decisions": [decision(id="other", question="Another?"), decision()]})

    alone, together = single.engine.works[0], shared.engine.works[0]

    assert alone.prefix == together.prefix
    assert alone.suffixes[0] == together.suffixes[1]


def test_no_free_place_answers_503_before_the_body_is_read() -> None:
    """While one request is inside, the next is sent away with a time to come back, its body unread."""
    served = Served()
    served.engine.gate.clear()

    async def story() -> tuple[Any, Any, Any]:
        async with served.client() as client:
            first = asyncio.create_task(client.post("/invocations", json={"decision": decision()}))
            await asyncio.to_thread(served.engine.entered.wait, 30)
            headers = {"Content-Type": "application/json"}
            # Not even JSON: it is never looked at.
            busy = await client.post("/invocations", content=b"?", headers=headers)
            ping = await client.get("/ping")
            served.engine.gate.set()
            return await first, busy, ping

    first, busy, ping = asyncio.run(story())

    assert first.status_code == 200
    assert ping.status_code == 200
    assert busy.status_code == 503
    assert busy.json()["retryable"] is True
    assert busy.json()["retry_after_seconds"] >= 1
    assert busy.headers["retry-after"] == str(busy.json()["retry_after_seconds"])
    assert len(served.engine.works) == 1


def test_closed_admission_answers_503() -> None:
    """After a stop was asked for, nobody is admitted."""
    served = Served()
    served.admission.close()

    assert served.post({"decision": decision()}).status_code == 503


def test_invalid_logits_are_a_500_without_a_decision() -> None:
    """A number that is not finite anywhere in the vocabulary ends in the fixed 500, never in a decision."""
    served = Served()
    served.engine.logits = np.zeros(300, dtype=np.float32)
    served.engine.logits[299] = np.nan

    response = served.post({"decision": decision()})

    assert response.status_code == 500
    assert response.json() == {"error": "internal error", "code": "internal", "field": None, "retryable": False}
    assert served.broken is False
    assert served.engine.forgotten == 1  # a resident state may have been the reason


def test_broken_engine_is_reported_once_and_hides_its_reason() -> None:
    """An engine that can no longer be trusted answers a fixed 500 and ends the server."""
    served = Served()
    served.engine.failure = EngineError("llama_decode answered -3")

    response = served.post({"decision": decision()})

    assert response.status_code == 500
    assert "llama_decode" not in response.text
    assert served.broken is True


def test_dead_engine_fails_the_ping() -> None:
    """`/ping` is 200 only while the engine can decide."""
    served = Served()
    alive = served.request("GET", "/ping").status_code
    served.engine.alive = False

    assert (alive, Served().request("GET", "/ping").status_code) == (200, 200)
    assert served.request("GET", "/ping").status_code == 503


def test_log_has_one_line_per_request_and_no_payload() -> None:
    """Whatever is asked, well-formed or not, answered or failing, nothing of it reaches the log."""
    canary = "zq-canary-7"
    served = Served()
    options = [{"id": canary + "a", "description": canary}, {"id": canary + "b", "description": canary}]
    whole = decision(id=canary, state={canary: [canary]}, question=canary, options=options)
    bodies = [
        {"decision": whole},
        {"decision": whole | {canary: 1}},
        {"decision": whole | {"state": canary + "<|t|>"}},
        b'{"' + canary.encode(),
    ]
    for body in bodies:
        served.post(body)
    served.engine.failure = RuntimeError(canary)
    served.post({"decision": whole})

    lines = [json.loads(line) for line in served.stream.getvalue().splitlines()]

    assert canary not in served.stream.getvalue()
    assert [line["status"] for line in lines] == [200, 400, 400, 400, 500]
    assert lines[0]["input_tokens"] > 0
    assert lines[0]["ids"] == lines[4]["ids"]
    assert lines[4]["error"] == "RuntimeError"
    assert lines[4]["trace"][-1].startswith("toy.py:")
