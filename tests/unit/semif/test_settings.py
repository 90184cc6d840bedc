"""The container's environment variables."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semif import settings
from semif.cpu_limit import most_threads
from semif.decision import StartFailure
from semif.settings import read_settings
from semif.split_set import PinnedFile

ENVIRONMENT = {
    "SEMIF_MODEL_NAME": "tiny",
    "SEMIF_MODEL_FILE": "tiny.gguf",
    "SEMIF_GGUF_SHA256": "a" * 64,
    "SEMIF_GGUF_BYTES": "1000",
    "SEMIF_KNOWN_PROMPT_SHA256": "b" * 64,
    "SEMIF_IMAGE_DIGEST": "sha256:" + "c" * 64,
    "PATH": "/usr/bin",
}


def test_defaults_are_the_published_ones() -> None:
    """What the stack leaves out has the contract's default."""
    settings = read_settings(ENVIRONMENT)

    assert settings.max_body_bytes == 262144
    assert settings.max_shared_decisions == 8
    assert settings.max_tokens == 4096
    assert settings.max_request_tokens == 8192
    assert settings.max_in_flight == 1
    assert settings.n_gpu_layers == 0
    assert settings.port == 8080
    assert settings.threads >= 1
    assert settings.model_path == Path("/opt/ml/model/tiny.gguf")
    assert settings.tokenizer_repository is None
    assert settings.template_sha256 is None
    assert (settings.max_waiting, settings.deadline_seconds) == (4, 50)
    assert (settings.resident_states, settings.branches) == (None, 1)
    assert (settings.min_token_mass, settings.min_margin) == (0.5, 0.1)
    assert settings.endpoint_name == "unnamed"


def test_threads_asked_for_are_bounded_by_the_limit() -> None:
    """A setting above what the container may use is cut to that, a smaller one is kept."""
    assert read_settings(ENVIRONMENT | {"SEMIF_THREADS": "100000"}).threads == most_threads()
    assert read_settings(ENVIRONMENT | {"SEMIF_THREADS": "1"}).threads == 1


def test_zero_is_a_number_where_nothing_may_wait_or_stay() -> None:
    """No waiting places and no resident states can be asked for."""
    settings = read_settings(ENVIRONMENT | {"SEMIF_MAX_WAITING": "0", "SEMIF_RESIDENT_STATES": "0"})

    assert (settings.max_waiting, settings.resident_states) == (0, 0)


def test_parts_of_a_split_model_are_named_as_the_library_names_them() -> None:
    """The first file's name says how many there are; sizes and digests come in their order."""
    changes = {"SEMIF_MODEL_FILE": "tiny-00001-of-00003.gguf", "SEMIF_GGUF_PARTS": f"5:{'d' * 64},7:{'e' * 64}"}

    settings = read_settings(ENVIRONMENT | changes)

    assert settings.files == (
        PinnedFile("tiny-00001-of-00003.gguf", 1000, "a" * 64),
        PinnedFile("tiny-00002-of-00003.gguf", 5, "d" * 64),
        PinnedFile("tiny-00003-of-00003.gguf", 7, "e" * 64),
    )
    assert settings.weights_bytes == 1012
    assert settings.model_path == Path("/opt/ml/model/tiny-00001-of-00003.gguf")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"SEMIF_GGUF_PARTS": f"5:{'d' * 64}"}, "is not the first of 2"),
        ({"SEMIF_GGUF_PARTS": ""}, "SEMIF_GGUF_PARTS must be sizes and digests"),
        ({"SEMIF_GGUF_PARTS": f"5:{'D' * 64}"}, "SEMIF_GGUF_PARTS must be sizes and digests"),
        ({"SEMIF_GGUF_PARTS": f"0:{'d' * 64}"}, "SEMIF_GGUF_PARTS must be sizes and digests"),
        ({"SEMIF_GGUF_PARTS": f"5:{'d' * 64},"}, "SEMIF_GGUF_PARTS must be sizes and digests"),
        ({"SEMIF_MODEL_FILE": "tiny-00001-of-00002.gguf"}, "is not the first of 1"),
        (
            {"SEMIF_MODEL_FILE": "tiny-00002-of-00002.gguf", "SEMIF_GGUF_PARTS": f"5:{'d' * 64}"},
            "is not the first of 2",
        ),
        ({"SEMIF_MAX_TOKEN": "1"}, "SEMIF_MAX_TOKEN is not a setting"),
        ({"SEMIF_MAX_TOKENS": "0"}, "SEMIF_MAX_TOKENS must be a positive integer"),
        ({"SEMIF_MAX_TOKENS": "-1"}, "positive integer"),
        ({"SEMIF_MAX_TOKENS": "1e3"}, "positive integer"),
        ({"SEMIF_MAX_TOKENS": "٣"}, "positive integer"),
        ({"SEMIF_MAX_TOKENS": ""}, "positive integer"),
        ({"SEMIF_THREADS": "0"}, "SEMIF_THREADS"),
        ({"SEMIF_N_GPU_LAYERS": "-2"}, "SEMIF_N_GPU_LAYERS"),
        ({"SEMIF_MAX_WAITING": "-1"}, "SEMIF_MAX_WAITING must be 0 or a positive integer"),
        ({"SEMIF_DEADLINE_SECONDS": "0"}, "SEMIF_DEADLINE_SECONDS"),
        ({"SEMIF_DEADLINE_SECONDS": "3601"}, "at most 3600"),
        ({"SEMIF_RESIDENT_STATES": "129"}, "at most 128"),
        ({"SEMIF_BRANCHES": "17"}, "at most 16"),
        ({"SEMIF_BRANCHES": "0"}, "positive integer"),
        ({"SEMIF_MIN_TOKEN_MASS": "1.1"}, "from 0 to 1"),
        ({"SEMIF_MIN_MARGIN": "nan"}, "from 0 to 1"),
        ({"SEMIF_ENDPOINT_NAME": ""}, "endpoint's name"),
        ({"SEMIF_ENDPOINT_NAME": "a" * 64}, "endpoint's name"),
        ({"SEMIF_ENDPOINT_NAME": "größe"}, "endpoint's name"),
        ({"SEMIF_ENDPOINT_NAME": "-a"}, "endpoint's name"),
        ({"SEMIF_ENDPOINT_NAME": ":a"}, "endpoint's name"),
        ({"SEMIF_ENDPOINT_NAME": "a\n"}, "endpoint's name"),
        ({"SEMIF_MAX_BODY_BYTES": "67108865"}, "at most 67108864"),
        ({"SEMIF_N_GPU_LAYERS": "1025"}, "at most 1024"),
        ({"SEMIF_N_GPU_LAYERS": "4294967295"}, "at most 1024"),
        ({"SEMIF_N_GPU_LAYERS": "-1 "}, "SEMIF_N_GPU_LAYERS"),
        ({"SEMIF_MAX_TOKENS": "1" * 16}, "positive integer"),
        ({"SEMIF_MAX_TOKENS": "+1"}, "positive integer"),
        ({"SEMIF_MAX_TOKENS": "1_0"}, "positive integer"),
        ({"SEMIF_MAX_TOKENS": " 1"}, "positive integer"),
        ({"SEMIF_MAX_TOKENS": "1\n"}, "positive integer"),
        ({"SEMIF_MAX_TOKENS": "1.0"}, "positive integer"),
        ({"SEMIF_MAX_REQUEST_TOKENS": "0"}, "SEMIF_MAX_REQUEST_TOKENS must be a positive"),
        ({"SEMIF_MAX_IN_FLIGHT": "0"}, "SEMIF_MAX_IN_FLIGHT must be a positive"),
        ({"SEMIF_MAX_SHARED_DECISIONS": "0"}, "SEMIF_MAX_SHARED_DECISIONS must be a positive"),
        ({"SEMIF_RESIDENT_STATES": "-1"}, "SEMIF_RESIDENT_STATES must be 0 or"),
        ({"SEMIF_RESIDENT_STATES": ""}, "SEMIF_RESIDENT_STATES must be 0 or"),
        ({"SEMIF_MIN_TOKEN_MASS": "-0.1"}, "from 0 to 1"),
        ({"SEMIF_MIN_TOKEN_MASS": "1e-1"}, "from 0 to 1"),
        ({"SEMIF_MIN_TOKEN_MASS": ".5"}, "from 0 to 1"),
        ({"SEMIF_MIN_MARGIN": "1.0000000001"}, "from 0 to 1"),
        ({"SEMIF_PORT": "0"}, "SEMIF_PORT must be a positive"),
        ({"SEMIF_HOST": ""}, "SEMIF_HOST must be a non-empty"),
        ({"SEMIF_MODEL_DIR": " /opt"}, "SEMIF_MODEL_DIR must be a non-empty"),
        ({"SEMIF_LLAMA_DIR": ""}, "SEMIF_LLAMA_DIR must be a non-empty"),
        ({"SEMIF_IMAGE_DIGEST": "sha256:\x00"}, "SEMIF_IMAGE_DIGEST must be a non-empty"),
        ({"SEMIF_TEMPLATE_SHA256": ""}, "SEMIF_TEMPLATE_SHA256 must be a SHA-256"),
        ({"SEMIF_KNOWN_PROMPT_SHA256": "0x" + "a" * 62}, "SEMIF_KNOWN_PROMPT_SHA256 must be a SHA-256"),
        ({"SEMIF_GGUF_BYTES": "0"}, "SEMIF_GGUF_BYTES must be a positive"),
        ({"SEMIF_MODEL_FILE": "a/tiny.gguf"}, "bare name"),
        ({"SEMIF_MODEL_FILE": "tiny.GGUF"}, "bare name"),
        ({"SEMIF_": "1"}, "SEMIF_ is not a setting"),
        ({"SEMIF_TOKENIZER_REVISION": "a"}, "go together"),
        ({"SEMIF_PORT": "65536"}, "at most 65535"),
        ({"SEMIF_GGUF_SHA256": "A" * 64}, "64 lower-case"),
        ({"SEMIF_GGUF_SHA256": "a" * 63}, "64 lower-case"),
        ({"SEMIF_MODEL_FILE": "../tiny.gguf"}, "bare name"),
        ({"SEMIF_MODEL_FILE": "tiny.bin"}, "bare name"),
        ({"SEMIF_MODEL_NAME": ""}, "non-empty"),
        ({"SEMIF_TOKENIZER_REPOSITORY": "a/b"}, "go together"),
    ],
)
def test_wrong_setting_is_a_start_failure(changes: dict[str, str], reason: str) -> None:
    """A misspelt, malformed or half-given setting ends the start and is named."""
    with pytest.raises(StartFailure, match=reason):
        read_settings(ENVIRONMENT | changes)


@pytest.mark.parametrize("name", [name for name in ENVIRONMENT if name.startswith("SEMIF_")])
def test_missing_setting_is_a_start_failure(name: str) -> None:
    """What the stack must say has no default."""
    rest = {key: value for key, value in ENVIRONMENT.items() if key != name}

    with pytest.raises(StartFailure, match=f"{name} is not set"):
        read_settings(rest)


OPTIONAL = sorted(
    {each for each in re.findall(r"SEMIF_[A-Z0-9_]+", Path(settings.__file__).read_text()) if each != "SEMIF_"}
)


@pytest.mark.parametrize(
    ("name", "largest"),
    [
        ("SEMIF_MAX_BODY_BYTES", "67108864"),
        ("SEMIF_N_GPU_LAYERS", "1024"),
        ("SEMIF_N_GPU_LAYERS", "-1"),
        ("SEMIF_DEADLINE_SECONDS", "3600"),
        ("SEMIF_RESIDENT_STATES", "128"),
        ("SEMIF_BRANCHES", "16"),
        ("SEMIF_PORT", "65535"),
        ("SEMIF_MIN_MARGIN", "1.0"),
        ("SEMIF_MIN_MARGIN", "0"),
        ("SEMIF_ENDPOINT_NAME", "a--b" + "c" * 59),
    ],
)
def test_a_setting_at_its_limit_is_taken(name: str, largest: str) -> None:
    """What is still allowed is read as it is written."""
    value = getattr(read_settings(ENVIRONMENT | {name: largest}), name.removeprefix("SEMIF_").lower())

    assert value == type(value)(largest)


@given(st.sampled_from(OPTIONAL), st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_any_text_is_a_setting_or_one_sentence(name: str, value: str) -> None:
    """Whatever is written into a variable, the settings are read or the variable is named; nothing else happens."""
    try:
        read_settings(ENVIRONMENT | {name: value})
    except StartFailure as failure:
        said = str(failure)
        assert name in said or "SEMIF_GGUF_PARTS" in said
        assert "\n" not in said
