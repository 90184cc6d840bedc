import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from config.values import (
    AccountId,
    EndpointName,
    GgufFile,
    HubRepository,
    ImageDigest,
    Region,
    RepositoryName,
    Revision,
    S3Uri,
    Sha256,
)
from tests.unit.config.environment_files import refusal

SHA256 = "13c16f426047e2de38cd075bdade4a7bcbc8c774384876f677740cda65f8a983"
REVISION = "4168f45a16a1290d65a4ec0fa312ae917a4c15d6"
DIGEST = "sha256:9f2eb2d9cbdc3172c2046117c4a43401bc95dbabdc3e2aeaa35daa11565c8b36"


@pytest.mark.rule("A malformed pin is refused with file, key and rule", tool="pydantic", emulated="")
@pytest.mark.parametrize(
    ("old", "new", "key", "rule"),
    [
        (SHA256, SHA256[:-1], "model.sha256", "must be a SHA-256 of 64 hexadecimal digits; this has 63 characters"),
        (SHA256, "", "model.sha256", "64 hexadecimal digits"),
        (REVISION, "main", "model.source.revision", "not a branch or tag"),
        (DIGEST, "server-sagemaker-cuda-v1", "images.decision_base.digest", "not a tag"),
        (DIGEST, DIGEST.upper(), "images.decision_base.digest", "lower-case"),
        ('"llama-cpp"', '"public.ecr.aws/deep-learning-containers/llama-cpp"', "images.chat.repository", "private"),
        ('"llama-cpp"', '"llama-cpp:server-sagemaker-cpu-v1"', "images.chat.repository", "without registry, tag"),
        ('"Qwen_Qwen3.5-4B-Q4_K_M.gguf"', '"q4/model.gguf"', "model.file", "bare name"),
        ('"Qwen_Qwen3.5-4B-Q4_K_M.gguf"', '"model-00002-of-00002.gguf"', "model.file", "must be the first part"),
        ('name = "prod"', 'name = "prod"\naccount = "12345"\nregion = "eu-central-1"', "environment.account", "12 dig"),
        ('name = "prod"', 'name = "prod"\nregion = "Frankfurt"', "environment.region", "name of a region"),
        ('"semif-prod-chat"', f'"a{"-" * 62}b"', "chat.endpoint_name", "1 to 63 letters"),
        ('"semif-prod-chat"', '"chat-"', "chat.endpoint_name", "inner hyphens"),
        ('"bartowski/Qwen_Qwen3.5-4B-GGUF"', '"../Qwen"', "model.source.repository", "owner/name"),
        ("bytes = 3013027808", f"bytes = 1{'0' * 15}", "model.bytes", "less than 1000000000000000"),
        ("gpu_layers = -1", "gpu_layers = 4294967296", "decision.gpu_layers", "less than or equal to 1024"),
        ("log_retention_days = 365", "log_retention_days = 100", "protection.log_retention_days", "90"),
    ],
)
def test_malformed_value_is_refused_with_file_key_and_rule(
    tmp_path: Path, old: str, new: str, key: str, rule: str
) -> None:
    """The sentence starts with file and key, and says what would be right."""
    sentence = refusal(tmp_path, "prod", (old, new))

    assert f"prod.toml: {key}: " in sentence
    assert rule in sentence


def test_checksum_is_required(tmp_path: Path) -> None:
    """There is no model without a digest."""
    sentence = refusal(tmp_path, "prod", (f'\nsha256 = "{SHA256}"', ""))

    assert "prod.toml: model.sha256: is required and missing." in sentence


@given(st.text(string.hexdigits, min_size=64, max_size=64))
def test_sha256_has_one_spelling(digits: str) -> None:
    """Upper and lower case are the same digest, kept in lower case."""
    assert TypeAdapter(Sha256).validate_python(digits) == digits.lower()


@pytest.mark.parametrize(
    ("kind", "right"),
    [
        (Sha256, SHA256),
        (Revision, REVISION),
        (ImageDigest, DIGEST),
        (GgufFile, "model.gguf"),
        (RepositoryName, "llama-cpp/server"),
        (HubRepository, "owner/name"),
        (S3Uri, "s3://bucket/folder/key"),
        (AccountId, "111122223333"),
        (Region, "us-gov-west-1"),
        (EndpointName, "semif-dev-chat"),
    ],
)
@given(data=st.data())
def test_value_takes_other_text_only_if_it_is_plain(kind: type[str], right: str, data: st.DataObject) -> None:
    """Whatever is accepted near a right value is one line of visible ASCII, fit for keys, paths and environments."""
    position = data.draw(st.integers(0, len(right)))
    odd = data.draw(st.characters() | st.sampled_from("\u0661\u00e4\u017f\u212a\n\0 /.-"))
    text = right[:position] + odd + right[position + data.draw(st.integers(0, 1)) :]
    try:
        accepted = TypeAdapter(kind).validate_python(text)
    except ValidationError:
        return
    assert accepted.isascii()
    assert accepted.isprintable()
    assert " " not in accepted


@pytest.mark.parametrize("file", ["../x.gguf", ".hidden.gguf", "-x.gguf", "x.GGUF", "x.gguf\n", "x.bin", "ä.gguf"])
def test_gguf_file_is_a_bare_visible_name(file: str) -> None:
    """No folder, no hidden file, nothing that reads as a flag."""
    with pytest.raises(ValidationError):
        TypeAdapter(GgufFile).validate_python(file)
