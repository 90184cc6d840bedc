import itertools
import subprocess
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from config.chat_server import CacheType, ChatServer
from local_aws.checkout import LLAMA_SERVER
from local_aws.llama_cpp_container import PREFIX, server_flags
from tests.unit.config.environment_files import OPEN_DIGEST, TEST_DIGEST, refusal

ONE_OF = {
    "cache_type_k": get_args(CacheType),
    "cache_type_v": get_args(CacheType),
    "flash_attn": ("on", "off", "auto"),
    "reasoning": ("on", "off", "auto"),
    "reasoning_format": ("none", "deepseek", "deepseek-legacy", "auto"),
    "pooling": ("none", "mean", "cls", "last", "rank"),
    "embeddings": (True,),
    "reranking": (True,),
    **dict.fromkeys(("jinja", "warmup", "cont_batching", "context_shift", "cache_prompt", "kv_unified"), (True, False)),
    **dict.fromkeys(("threads", "threads_batch", "threads_http", "parallel", "cache_reuse", "n_gpu_layers"), (2,)),
    "batch_size": (512,),
    "ubatch_size": (128,),
    **dict.fromkeys(("n_predict", "cache_ram", "reasoning_budget"), (-1, 0)),
}
SETTINGS = [(name, value) for name in ChatServer.model_fields for value in ONE_OF[name]]


def _flags(settings: ChatServer) -> list[str]:
    return server_flags({f"{PREFIX}{name}": value for name, value in settings.flags.items()}, Path("/model"))


def _said(model: Path, flags: list[str]) -> str:
    """Return what the real llama-server says about flags and a model that is not there."""
    command = [str(LLAMA_SERVER), "--port", "0", "--model", str(model), *flags]
    preload = {"LD_PRELOAD": str(LLAMA_SERVER.parent.parent / "lib" / "libllama.so.0")}
    ended = subprocess.run(command, env=preload, capture_output=True, text=True, check=False, timeout=60)
    return ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("setting", "flags"),
    [
        ({"jinja": True}, ["--jinja"]),
        ({"jinja": False}, ["--no-jinja"]),
        ({"flash_attn": "off"}, ["--flash-attn", "off"]),
        ({"embeddings": True}, ["--embeddings"]),
        ({"parallel": 4, "reasoning_budget": 0}, ["--parallel", "4", "--reasoning-budget", "0"]),
        ({}, []),
    ],
)
def test_setting_becomes_the_flag_of_its_type(setting: dict[str, Any], flags: list[str]) -> None:
    """By the container's rule a false flag is its opposite, a choice keeps its word, and nothing swallows another."""
    assert _flags(ChatServer(**setting)) == flags


@pytest.mark.rule(
    "Every flag that the chat settings can make is one that llama-server takes", tool="llama-server", emulated=""
)
@pytest.mark.parametrize(("name", "value"), SETTINGS, ids=[f"{name}={value}" for name, value in SETTINGS])
def test_flag_is_one_that_llama_server_takes(tmp_path: Path, name: str, value: Any) -> None:
    """The real server reads its flags before it looks for a model, and complains about the missing model only."""
    said = _said(tmp_path / "none.gguf", _flags(ChatServer(**{name: value})))

    assert "none.gguf" in said
    assert "argument" not in said


def test_llama_server_complains_about_what_it_does_not_take(tmp_path: Path) -> None:
    """The test above can fail."""
    assert "argument" in _said(tmp_path / "none.gguf", ["--model-sha256", "0"])


@given(st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in ONE_OF.items()}))
def test_any_settings_make_one_flag_each_and_only_listed_ones(settings: dict[str, Any]) -> None:
    """As many flags as settings, no value that the container drops or splits, no name outside the allow-list."""
    flags = ChatServer(**settings).flags

    assert len(flags) == len(settings)
    assert set(flags) <= ChatServer.variables()
    assert not [value for value in flags.values() if not value or value.lower() == "false" or "\n" in value]
    assert len([flag for flag in _flags(ChatServer(**settings)) if flag.startswith("--")]) == len(settings)


@pytest.mark.parametrize("name", ChatServer.model_fields)
@given(value=st.text(max_size=20) | st.floats() | st.lists(st.integers(), max_size=2))
def test_setting_of_another_type_is_refused(name: str, value: Any) -> None:
    """Text is taken only where it is one of a flag's own words, so none can carry a flag of its own."""
    if value in itertools.chain(*(values for values in ONE_OF.values() if isinstance(values[0], str))):
        return
    with pytest.raises(ValidationError):
        ChatServer.model_validate({name: value})


@pytest.mark.parametrize(
    ("environment", "lines", "key", "rule"),
    [
        ("dev", "paralel = 2", "paralel", "is not a known key; did you mean parallel"),
        ("dev", 'api_key = "x"', "api_key", "is not a known key"),
        ("dev", 'hf_repo = "a/b"', "hf_repo", "is not a known key"),
        ("dev", "parallel = 0", "parallel", "greater than or equal to 1"),
        ("dev", 'jinja = "false"', "jinja", "valid boolean"),
        ("dev", "flash_attn = true", "flash_attn", "'on', 'off' or 'auto'"),
        ("dev", "embeddings = false", "embeddings", "must be true or absent"),
        ("dev", "embeddings = 1", "embeddings", "valid boolean"),
        ("dev", 'cache_type_k = "f64"', "cache_type_k", "'f32', 'f16'"),
        ("dev", "batch_size = 128\nubatch_size = 256", "ubatch_size", "256 is more than batch_size, 128"),
        ("dev", "threads = 9", "threads", "9 is more than the 8 vCPUs of ml.c6i.2xlarge"),
        ("graviton", "threads_batch = 9", "threads_batch", "9 is more than the 8 vCPUs of ml.c8g.2xlarge"),
        ("dev", "n_gpu_layers = 999", "n_gpu_layers", "must be 0 or absent on ml.c6i.2xlarge, which has no GPU"),
    ],
)
def test_flag_that_is_unknown_or_does_not_fit_is_refused(
    tmp_path: Path, environment: str, lines: str, key: str, rule: str
) -> None:
    """The sentence names the flag and the rule; what is not listed cannot be set."""
    filled = [(OPEN_DIGEST, TEST_DIGEST)] if environment == "graviton" else []

    sentence = refusal(tmp_path, environment, *filled, ("[decision]\n", f"[chat.server]\n{lines}\n\n[decision]\n"))

    assert f"{environment}.toml: chat.server.{key}: " in sentence
    assert rule in sentence
