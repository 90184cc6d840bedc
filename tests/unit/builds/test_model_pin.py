"""The project's environment is read by rule before anything is fetched."""

import hashlib

import pytest

from model_pin import HubFile, PackagingError, PinnedFile, StoredObject
from project_environment import read_pin
from tests.unit.builds.pins import REVISION, environment

CONTENT = b"GGUF content"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def test_a_pin_of_the_hub_is_read() -> None:
    """Repository, commit and file name the source."""
    pin = read_pin(environment(CONTENT))

    assert pin.source == HubFile("semif/tiny-GGUF", REVISION, "tiny.gguf")
    assert pin.files == (PinnedFile("tiny.gguf", len(CONTENT), SHA256),)
    assert "tïny".encode() in pin.manifest


def test_a_pin_of_s3_is_read() -> None:
    """The address is taken apart into bucket and key."""
    changes = {"MODEL_SOURCE_KIND": "s3", "MODEL_SOURCE_URI": "s3://local-models/a/b.gguf"}

    assert read_pin(environment(CONTENT, changes)).source == StoredObject("local-models", "a/b.gguf")


def test_a_digest_in_upper_case_is_the_same_digest() -> None:
    """Hex has no case."""
    assert read_pin(environment(CONTENT, {"MODEL_SHA256": SHA256.upper()})) == read_pin(environment(CONTENT))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"MODEL_SHA256": None}, "MODEL_SHA256: the variable is missing"),
        ({"MODEL_SHA256": "a" * 63}, "MODEL_SHA256: .* does not match"),
        ({"MODEL_SHA256": "a" * 64}, "MANIFEST: its sha256 is"),
        ({"MODEL_BYTES": "-1"}, "MODEL_BYTES"),
        ({"MODEL_BYTES": "7"}, "MANIFEST: its bytes is 12, the model's is 7"),
        ({"MODEL_FILE": "folder/tiny.gguf"}, "MODEL_FILE"),
        ({"MODEL_FILE": "Tiny.gguf"}, "MANIFEST: its file is 'tiny.gguf', the model's is 'Tiny.gguf'"),
        ({"MODEL_SOURCE_KIND": "ftp"}, "MODEL_SOURCE_KIND"),
        ({"MODEL_SOURCE_KIND": "s3"}, "MODEL_SOURCE_URI: the variable is missing"),
        ({"MODEL_SOURCE_KIND": "s3", "MODEL_SOURCE_URI": "https://host/tiny.gguf"}, "MODEL_SOURCE_URI"),
        ({"MODEL_SOURCE_REVISION": "main"}, "MODEL_SOURCE_REVISION: 'main' does not match"),
        ({"MODEL_SOURCE_REPOSITORY": "tiny-GGUF"}, "MODEL_SOURCE_REPOSITORY"),
        ({"MODEL_SOURCE_REPOSITORY": "../../etc/x"}, "MODEL_SOURCE_REPOSITORY"),
        ({"MANIFEST": None}, "MANIFEST: is not JSON"),
        ({"MANIFEST": "[]"}, "MANIFEST: is not a JSON object"),
        ({"ARTIFACT_KEY": f"models/{SHA256}/{'0' * 64}/model.tar.gz"}, "ARTIFACT_KEY: is"),
        ({"ARTIFACT_KEY": None}, "ARTIFACT_KEY: is None"),
        ({"ARTIFACT_BUCKET": "x"}, "ARTIFACT_BUCKET"),
    ],
)
def test_a_wrong_variable_is_refused_by_name(changes: dict[str, str | None], sentence: str) -> None:
    """Missing, malformed and contradictory variables stop the build at its start."""
    with pytest.raises(PackagingError, match=sentence):
        read_pin(environment(CONTENT, changes))
