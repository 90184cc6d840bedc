from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_aws.llama_cpp_container import server_flags

FOLDER = Path("/unpacked")
NAMES = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", min_size=1, max_size=20).filter(
    lambda name: name not in {"MODEL_DIR", "PORT"}
)


@pytest.mark.parametrize(
    ("environment", "flags"),
    [
        ({"SM_LLAMA_CPP_CTX_SIZE": "4096"}, ["--ctx-size", "4096"]),
        ({"SM_LLAMA_CPP_NO_WARMUP": "true"}, ["--no-warmup"]),
        ({"SM_LLAMA_CPP_JINJA": "false"}, []),
        ({"SM_LLAMA_CPP_EMBEDDINGS": ""}, ["--embeddings"]),
        ({"SM_LLAMA_CPP_JINJA": "True", "SM_LLAMA_CPP_WARMUP": "False"}, ["--jinja"]),
        (
            {"SM_LLAMA_CPP_HF_REPO": "owner/name", "SM_LLAMA_CPP_HF_FILE": "a.gguf"},
            ["--hf-file", "a.gguf", "--hf-repo", "owner/name"],
        ),
        ({"SM_LLAMA_CPP_MODEL": "/opt/ml/model/a.gguf"}, ["--model", "/unpacked/a.gguf"]),
        ({"SM_LLAMA_CPP_MODEL_DIR": "/opt/ml/model", "PATH": "/usr/bin", "SEMIF_PORT": "1"}, []),
    ],
)
def test_variable_becomes_the_flag_that_the_container_documents(environment: dict[str, str], flags: list[str]) -> None:
    """Each variable under the prefix becomes one flag by the container's rule; every other variable is left alone."""
    assert flags == server_flags(environment, FOLDER)


@given(st.dictionaries(NAMES, st.text("0123456789", min_size=1, max_size=8), max_size=6))
def test_every_variable_with_a_value_becomes_flag_and_value(variables: dict[str, str]) -> None:
    """Variables with values give pairs of flag and value, in the order of their names."""
    environment = {f"SM_LLAMA_CPP_{name}": value for name, value in variables.items()}

    flags = server_flags(environment, FOLDER)

    pairs = [("--" + name.lower().replace("_", "-"), variables[name]) for name in sorted(variables)]
    assert pairs == list(zip(flags[::2], flags[1::2], strict=True))
