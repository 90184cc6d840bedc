"""What a tag or a revision is now, or why it is no pin."""

import pytest

from ops.pins.hub import Hub, HubError
from ops.pins.images import ImageError
from ops.pins.pin_file import Update, UpdateError
from ops.pins.pin_update import of_hub, of_image
from tests.unit.ops.fake_account import DOCKER_IMAGE, SETTINGS, FakeAccount, manifest
from tests.unit.ops.fake_hub import fake_hub
from tests.unit.ops.hub_answers import AT_MAIN, AT_NEW, DEV, HEALTHY, NEW, PINNED, SET, commit, set_on_hub, split_set


def test_revision_of_a_set_is_one_that_holds_the_same_parts() -> None:
    """Another part is another model."""
    answers = {AT_MAIN: {"sha": NEW}, AT_NEW: set_on_hub(), **HEALTHY}
    with fake_hub(answers) as url:
        assert of_hub(Hub(url), split_set("huggingface"), "model.source", "main").new == NEW
    with fake_hub(answers | {AT_NEW: set_on_hub(8)}) as url, pytest.raises(UpdateError, match=f"{SET[1]} of .* 8 byt"):
        of_hub(Hub(url), split_set("huggingface"), "model.source", "main")


def test_changed_tag_is_asked_for_and_resolved_to_the_platform() -> None:
    """A list of platforms gives the digest of the pin's platform, which SageMaker takes."""
    account = FakeAccount()
    text, digest = manifest("new")
    attestation = {"digest": "sha256:a", "platform": {"os": "unknown", "architecture": "unknown"}}
    amd64 = {"digest": digest, "platform": {"os": "linux", "architecture": "amd64"}}
    index_type = "application/vnd.oci.image.index.v1+json"
    index, index_digest = manifest("index", index_type, manifests=[attestation, amd64])
    account.images[digest] = {"text": text, "tags": [], "repository": "llama-cpp"}
    account.images[index_digest] = {"text": index, "tags": ["v1"], "repository": "llama-cpp"}

    update = of_image(account.services(), SETTINGS, "images.chat", "v1")

    assert update == Update(("images", "chat", "digest"), SETTINGS.images.chat.digest, digest)


@pytest.mark.parametrize(
    ("media_type", "text", "says"),
    [
        ("application/vnd.oci.image.manifest.v1+json", None, "SageMaker takes"),
        (DOCKER_IMAGE, "{}", "has digest"),
        ("application/vnd.oci.image.index.v1+json", None, "lists 0 images for linux/amd64"),
    ],
)
def test_image_that_sagemaker_would_refuse_is_no_pin(media_type: str, text: str | None, says: str) -> None:
    """Another format, other bytes than the digest's, or no image of the platform."""
    account = FakeAccount()
    made, digest = manifest("new", media_type)
    account.images[digest] = {"text": text or made, "tags": ["v1"], "repository": "llama-cpp"}

    with pytest.raises(ImageError, match=says):
        of_image(account.services(), SETTINGS, "images.decision_base", "v1")


def test_tag_that_is_not_there_is_no_pin() -> None:
    """The repository and the tag are named."""
    with pytest.raises(ImageError, match="llama-cpp holds no image v9"):
        of_image(FakeAccount().services(), SETTINGS, "images.chat", "v9")


def test_revision_of_the_hub_becomes_its_commit() -> None:
    """A branch is asked for, and its commit is what may be written, if the file is the same there."""
    with fake_hub({AT_MAIN: commit(NEW), AT_NEW: commit(NEW)}) as url:
        update = of_hub(Hub(url), DEV, "model.source", "main")

    assert update == Update(("model", "source", "revision"), PINNED, NEW)


def test_other_model_at_a_revision_is_refused() -> None:
    """A revision alone never changes which bytes are pinned."""
    with (
        fake_hub({AT_MAIN: commit(NEW), AT_NEW: commit(NEW, sha256="0" * 64)}) as url,
        pytest.raises(UpdateError, match="it is another model, and its pin changes as one"),
    ):
        of_hub(Hub(url), DEV, "model.source", "main")


def test_pin_without_hub_has_no_revision() -> None:
    """An object of S3 is not updated by a revision, and an absent tokenizer neither."""
    for name in ("model.source", "model.tokenizer"):
        with pytest.raises(UpdateError, match="pins no revision of the hub"):
            of_hub(Hub(), SETTINGS, name, "main")


@pytest.mark.parametrize("url", ["http://hub.invalid", "file:///etc/passwd", "hub.invalid"])
def test_hub_is_asked_over_an_encrypted_connection_only(url: str) -> None:
    """What the hub states is only worth something if nobody on the way can write it."""
    with pytest.raises(HubError, match="must begin with https"):
        Hub(url)
