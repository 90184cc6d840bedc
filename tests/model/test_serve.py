"""The container as a process: HTTP in front of a real model, from start to SIGTERM."""

import json
import signal
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
    assert single["model"]["backend"].startswith("cpu-")
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
        answer = pool.submit(container.ask, {"decision": asked})
        while container.ask({"decision": SUPPORT_ROUTE}).status_code != 503:
            pass  # until the long one is inside
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
