import hashlib
import json

import pytest
from pydantic import TypeAdapter, ValidationError

from config.loader import load
from config.model import ModelPin
from config.model_source import S3Source
from config.split_set import ModelPart

SECRET = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:hub-token-AbCdEf"


def test_manifest_is_canonical_json_of_the_pin() -> None:
    """Keys are sorted, nothing is spaced, what is not pinned is null."""
    text = load("dev").model.manifest

    content = json.loads(text)
    assert text == json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert content["schema_version"] == 2
    assert content["template_sha256"] is None
    assert content["source"] == {
        "kind": "huggingface",
        "repository": "bartowski/Qwen_Qwen3.5-4B-GGUF",
        "revision": "4168f45a16a1290d65a4ec0fa312ae917a4c15d6",
    }


def test_object_key_is_made_of_content_alone() -> None:
    """The key holds the GGUF's digest and the manifest's, so another pin is another object."""
    pin = load("dev").model

    assert pin.object_key == f"models/{pin.sha256}/{hashlib.sha256(pin.manifest.encode()).hexdigest()}/model.tar.gz"


@pytest.mark.parametrize("field", sorted(ModelPin.model_fields))
def test_changing_any_pin_changes_the_key(field: str) -> None:
    """What the container must prove, and where the bytes come from, belongs to the identity as the bytes do."""
    one, other = load("dev").model, load("local").model
    part = ModelPart(file="a-00002-of-00002.gguf", bytes=1, sha256="0" * 64)
    value = {"packaging": "uncompressed", "license": "mit", "parts": (part,)}.get(field, getattr(other, field))
    mixed = one.model_copy(update={field: value})

    assert getattr(one, field) != value
    assert mixed.object_key != one.object_key


def test_published_pins_are_kept() -> None:
    """Both Qwen environments carry the same published model and tokenizer."""
    dev, prod = load("dev").model, load("prod").model

    assert dev == prod
    assert (dev.bytes, dev.sha256[:8], dev.known_prompt_sha256[:8]) == (3_013_027_808, "13c16f42", "01626754")


def test_local_model_comes_from_a_bucket() -> None:
    """The embedded AWS has no hub, so its source is one object."""
    source = load("local").model.source

    assert isinstance(source, S3Source)
    assert (source.bucket, source.key) == ("semif-local-models", "SmolLM2-135M-Instruct.Q4_1.gguf")


def test_how_a_model_is_handed_out_is_not_in_its_manifest() -> None:
    """Another packaging, or a token for the source, lies under the same digests: it is the same model."""
    one = load("dev").model
    source = {**one.source.model_dump(), "token_secret_arn": SECRET}
    other = TypeAdapter(ModelPin).validate_python(
        one.model_dump() | {"packaging": "uncompressed", "source": source}, strict=True
    )

    assert other.manifest == one.manifest
    folder = one.object_key.removesuffix("model.tar.gz")
    assert other.object_key == f"{folder}uncompressed/model/{one.file}"
    assert other.served_keys == (other.object_key, f"{other.served_prefix}model-manifest.json")
    assert other.object_key.startswith(other.served_prefix)
    assert not other.side_copy_key.startswith(other.served_prefix)


def test_licence_is_part_of_the_manifest_where_it_is_given() -> None:
    """Who reads a published model's manifest sees it; where none is pinned, none is claimed."""
    with_licence = load("local").model
    without = with_licence.model_copy(update={"license": None})

    assert json.loads(with_licence.manifest)["license"] == "apache-2.0"
    assert "license" not in json.loads(without.manifest)


@pytest.mark.parametrize(
    ("size", "packaging", "rule"),
    [
        (27_720_000_001, "archive", r"27720000001 bytes take 841 s of unpacking and hashing the archive .* has 840"),
        (36_000_000_001, "uncompressed", r"take 1801 s of the download, which has 1800"),
        (
            10**14,
            "uncompressed",
            r"take 100000000000000 free bytes of the build machine's disk, which has 100000000000",
        ),
    ],
)
def test_model_that_cannot_be_published_and_verified_is_refused_with_the_figures(
    size: int, packaging: str, rule: str
) -> None:
    """Before anything is deployed, and not by a build or a function that runs out of time."""
    given = load("dev").model.model_dump() | {"bytes": size, "packaging": packaging}

    with pytest.raises(ValidationError, match=rule):
        TypeAdapter(ModelPin).validate_python(given, strict=True)


@pytest.mark.parametrize(("size", "packaging"), [(27_720_000_000, "archive"), (36_000_000_000, "uncompressed")])
def test_largest_model_of_each_packaging_is_accepted(size: int, packaging: str) -> None:
    """The bounds themselves are allowed."""
    given = load("dev").model.model_dump() | {"bytes": size, "packaging": packaging}

    assert TypeAdapter(ModelPin).validate_python(given, strict=True).bytes == size


@pytest.mark.parametrize("secret", ["hub-token", "arn:aws:ssm:eu-central-1:111122223333:parameter/x"])
def test_secret_is_named_by_its_arn(secret: str) -> None:
    """Only an ARN can be the whole resource of a policy."""
    source = {**load("dev").model.source.model_dump(), "token_secret_arn": secret}

    with pytest.raises(ValidationError, match="full ARN of a secret"):
        TypeAdapter(ModelPin).validate_python(load("dev").model.model_dump() | {"source": source}, strict=True)
