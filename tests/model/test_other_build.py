"""Another build of llama.cpp under the same model: what an image's update may bring."""

from typing import Any

import pytest

from tests.model.process import NEW_LLAMA, OTHER_LLAMA, SMOLLM2, SMOLLM2_PROMPT, environment, serving
from tests.model.test_serve import SUPPORT_ROUTE

pytestmark = pytest.mark.model

OTHER = SUPPORT_ROUTE | {"id": "other", "question": "Is the customer angry?"}


@pytest.fixture(scope="module")
def answers() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """From each build the support-route decision, alone and behind another one of the same state."""
    found = {}
    for name, folder in (("v0.5.0", NEW_LLAMA), ("v0.4.0", OTHER_LLAMA)):
        with serving(environment(SMOLLM2, SMOLLM2_PROMPT, {"SEMIF_LLAMA_DIR": str(folder)})) as container:
            single = container.ask({"decision": SUPPORT_ROUTE}).json()["result"]
            shared = container.ask({"decisions": [OTHER, SUPPORT_ROUTE]}).json()["results"][1]
        found[name] = single, shared
    return found


@pytest.mark.rule(
    "An older build of llama.cpp is recognised, answers the same to the bit in both forms, and says which it is",
    tool="libllama v0.4.0, SmolLM2-135M",
    emulated="",
)
def test_each_build_is_exact_in_itself(answers: dict[str, tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """Within one build the bits of a decision do not depend on its form."""
    for single, shared in answers.values():
        assert single["option_logits"] == shared["option_logits"]
        assert single["model"] == shared["model"]


def test_builds_differ_in_the_library_alone(answers: dict[str, tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """The identity record tells the builds apart, by nothing else than the library, and both render one prompt."""
    new, old = answers["v0.5.0"][0], answers["v0.4.0"][0]

    assert {key for key in new["model"] if new["model"][key] != old["model"][key]} == {"llama_cpp"}
    assert (new["model"]["llama_cpp"]["version"], old["model"]["llama_cpp"]["version"]) == ("0.5.0-dev", "0.4.0-dev")
    assert new["prompt_sha256"] == old["prompt_sha256"]
    assert new["option_logits"] == pytest.approx(old["option_logits"], abs=0.5)
