"""A decision of SmolLM2 that was recorded on one build of llama.cpp, asked again there and on another."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from decision_client.audit.keyed_hash import LocalKey
from decision_client.audit.recording import Audit
from decision_client.audit.trail_file import TrailFile
from decision_client.client import DecisionClient
from decision_client.definition import DecisionDefinition
from decision_client.http_transport import HttpTransport
from ops.__main__ import app
from ops.ask import SUPPORT_ROUTE
from tests.model.process import OTHER_LLAMA, SMOLLM2, SMOLLM2_PROMPT, environment, serving

pytestmark = pytest.mark.model
KEY = LocalKey("k", bytes(32))
DEFINITION = DecisionDefinition.model_validate(
    {"name": "support-route", "version": "1", **{part: SUPPORT_ROUTE[part] for part in ("question", "options")}}
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A container on the build that the other tests run on."""
    with serving(environment(SMOLLM2, SMOLLM2_PROMPT)) as container:
        yield str(container.client.base_url)


@pytest.fixture(scope="module")
def folder(url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the record of one decision, its request and its key."""
    folder = tmp_path_factory.mktemp("audit")
    client = DecisionClient(HttpTransport(url), on_decision=Audit(TrailFile(folder / "audit.jsonl"), KEY))
    client.decide(DEFINITION, SUPPORT_ROUTE["state"], decision_id="case-1")
    (folder / "request.json").write_text(json.dumps({"decision": SUPPORT_ROUTE}))
    (folder / "key.toml").write_text(f'id = "{KEY.id}"\nkey = "{KEY.key.hex()}"\n')
    (folder / "key.toml").chmod(0o600)
    return folder


def replay(folder: Path, url: str, *options: str) -> tuple[int, dict[str, Any]]:
    """Ask the recorded decision again; return the command's code and what it says."""
    request = ("--request", str(folder / "request.json"), "--key-file", str(folder / "key.toml"), "--json")
    result = CliRunner().invoke(app, ["replay", str(folder / "audit.jsonl"), url, *request, *options])
    assert result.stdout, result.exception
    told: dict[str, Any] = json.loads(result.stdout)
    return result.exit_code, told


@pytest.mark.rule(
    "a recorded decision has the same bits when it is asked again, whatever was asked in between",
    tool="libllama v0.5.0, SmolLM2-135M, the operator's command",
    emulated="",
)
def test_recorded_decision_has_the_same_bits(folder: Path, url: str) -> None:
    """Through a file and back, and after another decision about the same state and one about another."""
    for state in (SUPPORT_ROUTE["state"], "Another state."):
        wording = DEFINITION.model_copy(update={"question": "Does the customer state a deadline?"})
        DecisionClient(HttpTransport(url)).decide(wording, state, decision_id="between")

    code, told = replay(folder, url)

    assert (code, told["verdict"], told["distance"], told["identity"]) == (0, "identical", 0.0, [])


def test_another_build_is_named(folder: Path) -> None:
    """Nothing of the identity record has changed but the library; how far its logits are is told."""
    with serving(environment(SMOLLM2, SMOLLM2_PROMPT, {"SEMIF_LLAMA_DIR": str(OTHER_LLAMA)})) as container:
        _, told = replay(folder, str(container.client.base_url))

    assert {each["field"] for each in told["identity"]} == {"llama_cpp.version", "llama_cpp.library_sha256"}
    assert told["distance"] == pytest.approx(0, abs=0.5)


def test_another_model_is_different(folder: Path, models: dict[str, Path]) -> None:
    """Its file is named first, its numbers are others, and only a floor that hides everything calls that noise."""
    with serving(environment(models["hybrid"], SMOLLM2_PROMPT)) as container:
        url = str(container.client.base_url)
        code, told = replay(folder, url)
        _, floored = replay(folder, url, "--floor", "1000")

    assert "gguf.sha256" in {each["field"] for each in told["identity"]}
    assert (code, told["verdict"]) == (1, "different")
    assert floored["verdict"] == "within the noise floor"
