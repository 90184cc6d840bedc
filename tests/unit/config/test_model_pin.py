import hashlib
import json

import pytest

from config.loader import load
from config.model import ModelPin, S3Source


def test_manifest_is_canonical_json_of_the_pin() -> None:
    """Keys are sorted, nothing is spaced, what is not pinned is null."""
    text = load("dev").model.manifest

    content = json.loads(text)
    assert text == json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert content["schema_version"] == 1
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
    mixed = one.model_copy(update={field: getattr(other, field)})

    assert getattr(one, field) != getattr(other, field)
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
