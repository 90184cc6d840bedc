import json

import pytest

from config.loader import load
from local_aws.stand_in_image import BASE_LABEL, CONTENT_LABEL, LAYER, MANIFEST_TYPE, decision_image, digest, dlc_image


def test_digest_in_the_local_environment_is_that_of_the_stand_in() -> None:
    """`local.toml` pins the digest that the emulator's stand-in for the Deep Learning Container has."""
    images = load("local").images

    assert [dlc_image().digest] * 2 == [images.chat.digest, images.decision_base.digest]


def test_manifest_is_docker_schema_2_and_names_its_config_and_layer() -> None:
    """The manifest has the media type SageMaker accepts, and the digests and sizes of its config and its layer."""
    image = decision_image("ab" * 20, "sha256:" + "0" * 64)

    manifest = json.loads(image.manifest)

    assert (manifest["schemaVersion"], manifest["mediaType"]) == (2, MANIFEST_TYPE)
    assert (digest(image.config), len(image.config)) == (manifest["config"]["digest"], manifest["config"]["size"])
    assert [(digest(LAYER), len(LAYER))] == [(layer["digest"], layer["size"]) for layer in manifest["layers"]]


@pytest.mark.parametrize("content", ["ab" * 20, "cd" * 20])
def test_decision_image_is_labelled_with_content_and_base(content: str) -> None:
    """The stand-in for the decision image carries its content hash and its base, and its digest depends on both."""
    image = decision_image(content, "sha256:" + "1" * 64)

    labels = json.loads(image.config)["config"]["Labels"]

    assert (content, "sha256:" + "1" * 64) == (labels[CONTENT_LABEL], labels[BASE_LABEL])
    assert image.digest not in {decision_image("ef" * 20, "sha256:" + "1" * 64).digest, dlc_image().digest}
