from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.decision_hosting import DecisionHosting
from config.loader import load
from config.rules import ConfigurationError
from constructs_lib.container_environment import DLC_VARIABLES, ContainerEnvironment
from semif.settings import read_settings
from tests.template.synthesis import ENVIRONMENTS, Template, read, settings_of, synthesize, template
from tests.unit.config.environment_files import changed


def _variables(content: Template) -> dict[str, Any]:
    _, model = content.only("AWS::SageMaker::Model")
    return dict(model["PrimaryContainer"]["Environment"])


@pytest.mark.parametrize(
    ("variables", "rule"),
    [
        ({"A": "x" * 1025}, "A of the container has 1025 characters; SageMaker takes at most 1024"),
        ({f"A{number}": "" for number in range(101)}, "at most 100 environment variables, not 101"),
        ({"SM_LLAMA_CPP_MODEL_SHA256": "0"}, "would become an unknown flag of llama-server"),
        ({"SM_LLAMA_CPP_HF_TOKEN": "a"}, "would become an unknown flag of llama-server"),
        ({"SM_LLAMA_CPP_NO_EMBEDDINGS": "true"}, "would become an unknown flag of llama-server"),
        ({"SM_LLAMA_CPP_MODEL": "/a", "SM_LLAMA_CPP_HF_REPO": "a/b"}, "from its folder or from the hub, not both"),
        ({"SM_LLAMA_CPP_MODEL": ""}, "must not be empty"),
        ({"SM_LLAMA_CPP_MODEL": "False"}, "must not be empty, false"),
        ({"SM_LLAMA_CPP_MODEL": "/a\n--api-key x"}, "of several lines"),
    ],
)
def test_variable_that_would_be_refused_or_misread_is_refused(variables: dict[str, str], rule: str) -> None:
    """The sentence names the variable and the rule."""
    with pytest.raises(ConfigurationError, match=rule):
        ContainerEnvironment(variables)


def test_values_at_the_limits_are_taken() -> None:
    """A hundred variables of 1024 characters are what SageMaker takes."""
    variables = {f"A{number}": "x" * 1024 for number in range(100)}

    assert dict(ContainerEnvironment(variables).variables) == variables


@given(st.dictionaries(st.text(max_size=8).map("SM_LLAMA_CPP_".__add__), st.text(max_size=40), min_size=1, max_size=3))
def test_deep_learning_container_never_gets_another_flag(variables: dict[str, str]) -> None:
    """Of arbitrary variables with its prefix only the listed ones, each on one line, are accepted."""
    try:
        accepted = ContainerEnvironment(variables).variables
    except ConfigurationError:
        return
    assert set(accepted) <= DLC_VARIABLES
    assert not [value for value in accepted.values() if "\n" in value or not value]


def test_environment_cannot_be_changed() -> None:
    """What was checked stays what it was."""
    environment = ContainerEnvironment({"A": "1"})

    with pytest.raises(TypeError):
        environment.variables["A"] = "2"  # type: ignore[index] # the point of the test


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_chat_container_gets_the_exact_file_and_allowed_variables_only(environment: str) -> None:
    """The container would turn any further variable of its prefix into a flag."""
    settings = settings_of(environment)
    flags = settings.chat.server.flags if settings.chat.server else {}

    assert _variables(template(environment, "chat")) == {
        "SM_LLAMA_CPP_MODEL": f"/opt/ml/model/{settings.model.file}",
        "SM_LLAMA_CPP_CTX_SIZE": str(settings.chat.context_tokens),
        **{f"SM_LLAMA_CPP_{name}": value for name, value in flags.items()},
    }


def test_chat_container_gets_the_flags_of_its_settings_by_their_types(tmp_path: Path) -> None:
    """A number as it is, true as it is, false as the opposite, a choice as its word."""
    lines = 'parallel = 2\njinja = true\nwarmup = false\nflash_attn = "off"\n'
    folder = changed(tmp_path, "dev", ("[decision]\n", f"[chat.server]\n{lines}\n[decision]\n"))

    environment = _variables(read(synthesize("dev", tmp_path / "out", folder), "dev", "chat"))

    assert environment.items() >= {
        ("SM_LLAMA_CPP_PARALLEL", "2"),
        ("SM_LLAMA_CPP_JINJA", "true"),
        ("SM_LLAMA_CPP_NO_WARMUP", "true"),
        ("SM_LLAMA_CPP_FLASH_ATTN", "off"),
    }
    assert len(environment) == 6


def test_decision_container_gets_its_pins_and_limits() -> None:
    """What the container checks at start stands in its environment; the digest is the resolved image's own."""
    image, _ = template("prod", "decision").only("Custom::PinnedImage")

    environment = _variables(template("prod", "decision"))

    assert environment.pop("SEMIF_IMAGE_DIGEST") == {"Fn::GetAtt": [image, "Digest"]}
    assert environment == {
        "SEMIF_MODEL_NAME": "qwen3.5-4b-q4-k-m",
        "SEMIF_MODEL_FILE": "Qwen_Qwen3.5-4B-Q4_K_M.gguf",
        "SEMIF_GGUF_SHA256": "13c16f426047e2de38cd075bdade4a7bcbc8c774384876f677740cda65f8a983",
        "SEMIF_GGUF_BYTES": "3013027808",
        "SEMIF_KNOWN_PROMPT_SHA256": "016267542103ab91422c425d2234ec7e1b9aef77f9d3e481b96db2de7cca470a",
        "SEMIF_TOKENIZER_REPOSITORY": "Qwen/Qwen3.5-4B",
        "SEMIF_TOKENIZER_REVISION": "851bf6e806efd8d0a36b00ddf55e13ccb7b8cd0a",
        "SEMIF_THREADS": "4",
        "SEMIF_N_GPU_LAYERS": "-1",
        "SEMIF_MAX_TOKENS": "4096",
        "SEMIF_MAX_BODY_BYTES": "262144",
        "SEMIF_MAX_SHARED_DECISIONS": "8",
        "SEMIF_MAX_REQUEST_TOKENS": "8192",
        "SEMIF_MAX_IN_FLIGHT": "1",
        "SEMIF_MAX_WAITING": "4",
        "SEMIF_DEADLINE_SECONDS": "50",
        "SEMIF_BRANCHES": "1",
        "SEMIF_MIN_TOKEN_MASS": "0.5",
        "SEMIF_MIN_MARGIN": "0.1",
        "SEMIF_ENDPOINT_NAME": "semif-prod-decision",
    }


def test_pinned_template_reaches_the_container() -> None:
    """Where the template's digest is published, the container compares it."""
    environment = _variables(template("local", "decision"))

    assert environment["SEMIF_TEMPLATE_SHA256"] == load("local").model.template_sha256
    assert not {name for name in environment if name.startswith("SEMIF_TOKENIZER")}


@given(
    mass=st.floats(0, 1),
    margin=st.floats(0, 1),
    branches=st.integers(1, 16),
    states=st.none() | st.integers(0, 128),
    deadline=st.integers(1, 55),
)
def test_container_understands_whatever_the_settings_allow(
    mass: float, margin: float, branches: int, states: int | None, deadline: int
) -> None:
    """Every value that passes at synth is one the container starts with, and means the same there."""
    settings = load("dev")
    written = settings.decision.model_dump() | {"branches": branches, "resident_states": states}
    written["flags"] = {"min_token_mass": mass, "min_margin": margin}
    written["limits"] |= {"deadline_seconds": deadline}
    hosting = DecisionHosting.model_validate(written)

    environment = ContainerEnvironment.of_decision(settings.model, hosting, image_digest="sha256:" + "0" * 64)
    read = read_settings(environment.variables)

    assert read.min_token_mass == pytest.approx(mass, abs=1e-9)
    assert read.min_margin == pytest.approx(margin, abs=1e-9)
    assert (read.branches, read.resident_states, read.deadline_seconds) == (branches, states, deadline)
    assert read.endpoint_name == "semif-dev-decision"
