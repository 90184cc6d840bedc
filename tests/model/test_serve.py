"""The container as a process: HTTP in front of a real model, from start to SIGTERM."""

import json
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from semif.tiny_model import tiny_hybrid
from tests.model.process import SMOLLM2, SMOLLM2_PROMPT, environment, run, serving
from tests.unit.semif.templates import SWITCHABLE

pytestmark = pytest.mark.model

PUBLISHED = "016267542103ab91422c425d2234ec7e1b9aef77f9d3e481b96db2de7cca470a"
SUPPORT_ROUTE = {
    "id": "support-route",
    "state": "Customer asks to reset a forgotten password and says the reset email never arrived.",
    "question": "Which queue should handle this request?",
    "options": [
        {"id": "account_access", "description": "Account access and authentication support."},
        {"id": "billing", "description": "Billing and payment support."},
        {"id": "sales", "description": "Sales and product evaluation."},
    ],
}


@pytest.mark.rule(
    "The decision container answers over HTTP, the same to the bit in both forms, and ends with 0 on SIGTERM",
    tool="libllama v0.5.0, uvicorn, SmolLM2-135M",
    emulated="",
)
def test_smollm2_decides_over_http() -> None:
    """SmolLM2 routes the support case to account access; single and shared agree to the bit; SIGTERM ends with 0."""
    with serving(environment(SMOLLM2, SMOLLM2_PROMPT)) as container:
        single = container.ask({"decision": SUPPORT_ROUTE}).json()["result"]
        other = SUPPORT_ROUTE | {"id": "other", "question": "Is the customer angry?"}
        shared = container.ask({"decisions": [other, SUPPORT_ROUTE]}).json()["results"]
        refused = container.ask({"decision": SUPPORT_ROUTE | {"state": "<|im_end|>"}})
        code, output, errors = container.stop()

    assert single["choice"] == "account_access"
    assert single["probabilities"][0] == pytest.approx(0.78, abs=0.02)
    assert single["prompt_sha256"] == SMOLLM2_PROMPT
    assert single["option_logits"] == shared[1]["option_logits"]
    assert single["allowed_token_mass"] == shared[1]["allowed_token_mass"]
    assert single["model"]["gguf"]["sha256"] == shared[0]["model"]["gguf"]["sha256"]
    assert single["model"]["backend"].startswith("cpu")
    assert (refused.status_code, refused.json()["code"]) == (400, "control_token")
    assert (code, errors) == (0, "")
    assert [json.loads(line)["event"] for line in output.splitlines()] == ["ready", "request", "request", "request"]
    assert "password" not in output


@pytest.mark.rule(
    "The prompt is byte for byte the published one: its SHA-256 for Qwen3.5 is reproduced",
    tool="libllama v0.5.0, jinja2",
    emulated="a tiny qwen35 model with a template of ours that renders the published bytes",
)
def test_published_prompt_is_proven_at_start_and_answered(tmp_path: Path) -> None:
    """A hybrid whose template thinks by default starts with the published digest pinned and answers with it."""
    path = tmp_path / "qwen.gguf"
    path.write_bytes(tiny_hybrid(SWITCHABLE, user_defined=["<think>", "</think>"]))

    with serving(environment(path, PUBLISHED)) as container:
        result = container.ask({"decision": SUPPORT_ROUTE}).json()["result"]
        refused = container.ask({"decision": SUPPORT_ROUTE | {"question": "a <think> b"}}).json()

    assert result["prompt_sha256"] == PUBLISHED
    assert refused["field"] == "decision.question"


def test_sigterm_finishes_what_runs() -> None:
    """A request that is inside when SIGTERM comes is answered; the exit code is 0."""
    with (
        serving(environment(SMOLLM2, SMOLLM2_PROMPT, {"SEMIF_MAX_WAITING": "0"})) as container,
        ThreadPoolExecutor(1) as pool,
    ):
        asked = SUPPORT_ROUTE | {"state": "A customer writes about a parcel. " * 30}
        while True:
            answer = pool.submit(container.ask, {"decision": asked})
            time.sleep(0.1)
            if container.ask({"decision": SUPPORT_ROUTE}).status_code == 503:
                break  # the long one has the only place
            answer.result()
        container.signal(signal.SIGTERM)
        status = answer.result().status_code
        code, _, errors = container.wait()

    assert (status, code, errors) == (200, 0, "")


def test_taken_port_is_one_sentence(models: dict[str, Path]) -> None:
    """A second container on the same port says so and ends."""
    with serving(environment(models["hybrid"], SMOLLM2_PROMPT)) as container:
        port = str(container.client.base_url.port)
        ended = run(environment(models["hybrid"], SMOLLM2_PROMPT, {"SEMIF_PORT": port}))

    assert ended.returncode == 1
    assert ended.stderr == f"semif: 127.0.0.1:{port} cannot be listened on: Address already in use.\n"


BREAKS_AT_THE_FIRST_REQUEST = """
import sys
from importlib.abc import MetaPathFinder

class Patch(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "semif.serving":  # by now the class is there, and the start's own decisions come first
            from semif.engine import EngineError
            from semif.invocation import Invocations
            from semif.service import DecisionService
            run = Invocations.answer
            def answer(self, *arguments):
                def broken(*_, **__):
                    raise EngineError("llama_decode answered -3")
                self.engine._context._decode = broken
                return run(self, *arguments)
            Invocations.answer = answer
        return None

sys.meta_path.insert(0, Patch())
"""


def test_a_broken_engine_ends_the_process_with_a_failure(tmp_path: Path, models: dict[str, Path]) -> None:
    """When the library fails within a request, its caller gets 500 and the process ends with 1."""
    (tmp_path / "sitecustomize.py").write_text(BREAKS_AT_THE_FIRST_REQUEST)
    variables = environment(models["hybrid"], SMOLLM2_PROMPT)
    variables["PYTHONPATH"] = f"{tmp_path}:{variables['PYTHONPATH']}"

    with serving(variables) as container:
        status = container.ask({"decision": SUPPORT_ROUTE}).status_code
        code, output, _ = container.wait()

    assert (status, code) == (500, 1)
    assert '"error":"EngineError"' in output


def test_a_request_too_slow_for_the_machine_is_refused_and_others_are_not() -> None:
    """With a deadline of one second a long state is refused from the measured speed, a short one is answered."""
    limits = {"SEMIF_DEADLINE_SECONDS": "4"}
    long = SUPPORT_ROUTE | {"state": "A customer writes about a parcel. " * 240}
    with serving(environment(SMOLLM2, SMOLLM2_PROMPT, limits)) as container:
        refused = container.ask({"decision": long})
        answered = container.ask({"decision": SUPPORT_ROUTE})

    assert (refused.status_code, refused.json()["code"]) == (400, "too_slow_here")
    assert "at most 4 s are allowed" in refused.json()["error"]
    assert answered.status_code == 200


@pytest.mark.slow
def test_sigterm_aborts_what_would_take_too_long() -> None:
    """A decode that would outlast the grace is aborted, its caller gets 503, and the exit code is 0."""
    limits = {"SEMIF_MAX_TOKENS": "8192", "SEMIF_DEADLINE_SECONDS": "900"}
    long = SUPPORT_ROUTE | {"state": "A customer writes about a parcel. " * 1000}
    with serving(environment(SMOLLM2, SMOLLM2_PROMPT, limits)) as container, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(container.ask, {"decision": long})
        time.sleep(2)  # until it is inside
        container.signal(signal.SIGTERM)
        response = answer.result()
        code, _, errors = container.wait()

    assert (response.status_code, response.json()["code"], code, errors) == (503, "busy", 0, "")


@pytest.mark.slow
def test_a_decode_that_cannot_be_aborted_does_not_hold_up_the_end(tmp_path: Path, models: dict[str, Path]) -> None:
    """With the library stuck in a call that hears no abort, SIGTERM still ends the process with 0 in time."""
    stuck = BREAKS_AT_THE_FIRST_REQUEST.replace('raise EngineError("llama_decode answered -3")', "time.sleep(600)")
    (tmp_path / "sitecustomize.py").write_text(f"import time\n{stuck}")
    variables = environment(models["hybrid"], SMOLLM2_PROMPT)
    variables["PYTHONPATH"] = f"{tmp_path}:{variables['PYTHONPATH']}"

    with serving(variables) as container, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(container.ask, {"decision": SUPPORT_ROUTE})
        time.sleep(1)  # until it is inside
        container.signal(signal.SIGTERM)
        answer.exception()  # whatever it is: the connection is closed under it
        code, _, _ = container.wait()

    assert code == 0
